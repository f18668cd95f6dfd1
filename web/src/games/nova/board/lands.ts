/** Territories as they are drawn: the owner of each cell, and the place and text of the label. */

import { memo, sameList } from '../../../lib/board/memo';
import type { Point } from '../../../lib/board/types';
import type { Cell, Seat } from '../../../lib/net/types';
import { shares, sum, type Territory } from '../view';
import { hexPath, type HexLayout } from './geometry';

export interface Land {
  key: string;
  cells: readonly Cell[];
  edge: string;
  /** The cells in each owner's colour. The cells of a shared territory are divided among its owners. */
  parts: { seat: Seat | null; path: string }[];
  owners: { seat: Seat; points: number }[];
  text: string;
  at: Point;
}

function landOf(territory: Territory, layout: HexLayout): Land {
  const owners = shares(territory);
  const paths: string[] = [];
  territory.cells.forEach((cell, i) => {
    const part = owners.length ? i % owners.length : 0;
    paths[part] = (paths[part] ?? '') + hexPath(layout.centre(cell));
  });
  return {
    key: territory.cells[0] ?? '',
    cells: territory.cells,
    edge: layout.outline(territory.cells),
    parts: paths.map((path, i) => ({ seat: owners[i]?.seat ?? null, path })),
    owners,
    text: sum(territory),
    at: layout.anchor(territory.cells),
  };
}

/** Returns a memoised function from territories to lands: an unchanged land stays the same object. */
export function memoLands(): (territories: readonly Territory[], layout: HexLayout) => readonly Land[] {
  const same = memo<readonly Land[]>(sameList);
  let last: HexLayout | undefined;
  const made = new Map<string, Land>();
  return (territories, layout) => {
    if (layout !== last) {
      last = layout;
      made.clear();
    }
    return same(
      territories.map((territory) => {
        const key = territory.cells[0] ?? '';
        const before = made.get(key);
        if (before && sameList(before.cells, territory.cells)) return before;
        const land = landOf(territory, layout);
        made.set(key, land);
        return land;
      }),
    );
  };
}
