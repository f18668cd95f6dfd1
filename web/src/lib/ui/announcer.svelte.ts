/** What happened, said aloud by screen readers. */
export const said = $state({ text: '' });

export function announce(text: string): void {
  said.text = '';
  setTimeout(() => (said.text = text), 30);
}
