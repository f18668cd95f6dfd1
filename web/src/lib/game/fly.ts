import { pace } from '../settings.svelte';

/** Animates a text, such as points, from a cell of the board to a seat's card. */
export function fly(cell: string, seat: number, text: string): void {
  const from = document.querySelector(`[data-cell="${cell}"]`)?.getBoundingClientRect();
  const to = document.querySelector(`[data-seat="${seat}"]`)?.getBoundingClientRect();
  const long = pace(1100);
  if (!from || !to || !long) return;
  const note = document.createElement('span');
  note.className = 'flying';
  note.textContent = text;
  note.setAttribute('aria-hidden', 'true');
  document.body.append(note);
  const start = `translate(${from.x + from.width / 2}px, ${from.y}px)`;
  const end = `translate(${to.x + 30}px, ${to.y + 20}px) scale(.7)`;
  const flight = note.animate(
    [
      { transform: `${start} scale(.4)`, opacity: 0 },
      { transform: `${start} scale(1.3)`, opacity: 1, offset: 0.3 },
      { transform: end, opacity: 1, offset: 0.92 },
      { transform: end, opacity: 0 },
    ],
    { duration: long, easing: 'cubic-bezier(.4, 0, .3, 1)' },
  );
  flight.onfinish = () => note.remove();
  flight.oncancel = () => note.remove();
}
