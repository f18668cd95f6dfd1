/** What happened, said aloud by screen readers: when they are free, or at once. */
export const said = $state({ text: '', alarm: '' });

const waiting: Record<keyof typeof said, string[]> = { text: [], alarm: [] };

/** What is said before the region was read out is said together: nothing is lost. */
function say(where: keyof typeof said, text: string): void {
  if (!text) return;
  waiting[where].push(text);
  if (waiting[where].length > 1) return;
  said[where] = '';
  setTimeout(() => (said[where] = waiting[where].splice(0).join(' ')), 30);
}

export const announce = (text: string): void => say('text', text);

/** Interrupts whatever is being read. */
export const alarm = (text: string): void => say('alarm', text);
