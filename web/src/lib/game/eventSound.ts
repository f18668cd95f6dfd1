import { pageOf } from '../../games/index.svelte';
import type { GameEvent, GameName } from '../net/types';
import type { Sound } from '../sound';

const ORDER: Sound[] = ['end', 'score', 'capture', 'stone', 'take', 'move'];

/** The sound of the most important of several events. */
export function soundOf(game: GameName, events: readonly GameEvent[]): Sound | null {
  const sounds: Readonly<Record<string, Sound>> = { ...pageOf(game)?.sounds, 'game-ended': 'end' };
  const heard = new Set(events.flatMap((event) => sounds[event.kind] ?? []));
  return ORDER.find((name) => heard.has(name)) ?? null;
}
