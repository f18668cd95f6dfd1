/** The towers and flags as they are drawn, for both the 3D view and the top view. */

import type { Cell } from '../../../lib/net/types';
import type { Piece } from '../../../lib/board/pieces';
import { sameList, KeyedMemo, memo } from '../../../lib/board/memo';
import { colourOf } from '../../../lib/board/types';
import { IsometricLayout, type PlanLayout } from './geometry';
import type { Mark } from './marks';
import { poleAt } from './places';

import type { TurriumView } from '../view';

export interface Tower {
  cell: Cell;
  /** The middle of the cell on the ground. */
  x: number;
  y: number;
  height: number;
  /** The CSS class of the owner of its land. */
  land: string;
  isDraft: boolean;
  /** Whether it is drawn transparent, because it hides a cell that matters. */
  isFaded: boolean;
  /** The flag on it: its seat, its id, the place of its pole, and the offset of its former place. */
  seat: number | null;
  flag: number | null;
  flagX: number;
  flagY: number;
  fromX: number;
  fromY: number;
}

interface Scene extends Pick<TurriumView, 'heights' | 'territories'> {
  layout: IsometricLayout | PlanLayout;
  flags: ReadonlyMap<Cell, Piece>;
  colours: readonly string[];
  draft: ReadonlySet<Cell>;
  faded: ReadonlySet<Cell>;
  /** The cell of the flag being dragged, which is not drawn on its tower. */
  carried: Cell | null;
}

function towerOn(
  cell: Cell,
  { heights, territories, layout, flags, draft, faded, carried }: Scene,
  looks: readonly string[],
): Tower {
  const at = (layout instanceof IsometricLayout && layout.floor.grounds.get(cell)) || layout.centre(cell);
  const flag = carried === cell ? undefined : flags.get(cell);
  const pole = flag && poleAt(layout, cell);
  const before = flag?.from === undefined ? undefined : poleAt(layout, flag.from);
  return {
    cell,
    x: at.x,
    y: at.y,
    height: heights[cell] ?? 0,
    land: looks[(territories[cell] ?? -1) + 1] ?? '',
    isDraft: draft.has(cell),
    isFaded: faded.has(cell),
    seat: flag?.seat ?? null,
    flag: flag?.id ?? null,
    flagX: pole?.x ?? 0,
    flagY: pole?.y ?? 0,
    fromX: pole && before ? before.x - pole.x : 0,
    fromY: pole && before ? before.y - pole.y : 0,
  };
}

const isSame = (a: Tower, b: Tower): boolean =>
  a.height === b.height &&
  a.x === b.x &&
  a.y === b.y &&
  a.land === b.land &&
  a.isDraft === b.isDraft &&
  a.isFaded === b.isFaded &&
  a.flag === b.flag &&
  a.seat === b.seat &&
  a.flagX === b.flagX &&
  a.flagY === b.flagY &&
  a.fromX === b.fromX &&
  a.fromY === b.fromY;

/** Returns a memoised function for all towers in drawing order: an unchanged tower stays the same object. */
export function memoTowers(): (scene: Scene) => Tower[] {
  const known = new KeyedMemo<Tower>(isSame);
  return (scene) => {
    const looks = [colourOf(scene.colours, null), ...scene.colours.map((_, seat) => colourOf(scene.colours, seat))];
    return scene.layout.floor.order.map((cell) => known.keep(cell, towerOn(cell, scene, looks)));
  };
}

/** A cell as it is drawn. Its tower and its mark are separate signals: a change of one does not redraw the other. */
export class Site {
  tower: Tower = $state.raw() as Tower;
  mark: Mark = $state.raw() as Mark;

  constructor(
    private lastTower: Tower,
    private lastMark: Mark,
  ) {
    this.tower = lastTower;
    this.mark = lastMark;
  }

  update(tower: Tower, mark: Mark): void {
    if (tower !== this.lastTower) this.tower = this.lastTower = tower;
    if (mark !== this.lastMark) this.mark = this.lastMark = mark;
  }
}

/** Returns a function that updates towers and marks in place. The list changes only if the cells or their order do. */
export function memoSites(): (towers: readonly Tower[], marks: ReadonlyMap<Cell, Mark>) => readonly Site[] {
  const known = new Map<Cell, Site>();
  const same = memo<readonly Site[]>(sameList);
  return (towers, marks) =>
    same(
      towers.flatMap((tower) => {
        const mark = marks.get(tower.cell);
        if (!mark) return [];
        let site = known.get(tower.cell);
        if (site) site.update(tower, mark);
        else known.set(tower.cell, (site = new Site(tower, mark)));
        return [site];
      }),
    );
}
