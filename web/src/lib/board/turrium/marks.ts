import type { Target } from '../types';

export type Face = 'none' | 'spot' | 'step' | 'capture';

/** How a target is marked: as a place for cubes and flags, as a step, or as a capture. */
export function face(target: Target | undefined): Face {
  if (!target) return 'none';
  if (target.kind === 'capture') return 'capture';
  return ['take', 'cube', 'flag'].includes(target.kind) ? 'spot' : 'step';
}

/** How much of its top face a mark takes. */
export function sizeOf(face: Face, isNear: boolean): number {
  if (face === 'capture') return 0.94;
  return face === 'spot' ? (isNear ? 0.92 : 0.66) : isNear ? 0.62 : 0.4;
}
