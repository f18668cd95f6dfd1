/** Announcements for screen readers: polite, or assertive. */
export const said = $state({ text: '', alarm: '' });

const waiting: Record<keyof typeof said, string[]> = { text: [], alarm: [] };

/** Announces a text. Texts that arrive within 30 ms are joined, so that none is lost. */
function say(where: keyof typeof said, text: string): void {
  if (!text) return;
  waiting[where].push(text);
  if (waiting[where].length > 1) return;
  said[where] = '';
  setTimeout(() => (said[where] = waiting[where].splice(0).join(' ')), 30);
}

export const announce = (text: string): void => say('text', text);

/** Announces a text and interrupts the screen reader. */
export const alarm = (text: string): void => say('alarm', text);
