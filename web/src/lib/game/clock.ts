import type { Clock } from '../net/types';

/** Milliseconds that a seat has left, `since` milliseconds after `clock` was received; null if it has no time to show. */
export function left(clock: Clock, seat: number, since: number): number | null {
  const runs = clock.running === seat;
  const remaining = clock.remaining_ms?.[seat];
  if (remaining !== undefined && remaining !== null) return Math.max(0, remaining - (runs ? since : 0));
  if (runs && clock.deadline && clock.now)
    return Math.max(0, Date.parse(clock.deadline) - Date.parse(clock.now) - since);
  return null;
}

/** A time as text: `2 d 3 h`, `1:02:03`, `4:05` or `9.4`. */
export function written(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const pad = (value: number) => String(value).padStart(2, '0');
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  if (seconds >= 3600)
    return `${Math.floor(seconds / 3600)}:${pad(Math.floor((seconds % 3600) / 60))}:${pad(seconds % 60)}`;
  if (seconds >= 10) return `${Math.floor(seconds / 60)}:${pad(seconds % 60)}`;
  return (Math.floor(milliseconds / 100) / 10).toFixed(1);
}
