import { describe, expect, it } from 'vitest';
import played from './towers.json';
import { HexLayout, R } from '../src/games/nova/board/geometry';
import { IsometricLayout, name, place, PlanLayout, TALL, turned } from '../src/games/turrium/board/geometry';
import { FINGER, lensAt, magnified, REACH, through, within as reached } from '../src/lib/board/lens';
import { inside, panned, WHOLE, within, zoomed } from '../src/lib/board/viewport';

/** The geometry of maps: neighbours of (row, x) are (row, x ± 2) and (row ± 1, x ± 1). */
function island(map: string) {
  const cells = map
    .split('\n')
    .flatMap((line, row) =>
      [...line].flatMap((letter, x) =>
        letter === ' '
          ? []
          : [{ name: `${String.fromCharCode(97 + row)}${x}`, row, x, landscape: letter.charCodeAt(0) - 65 }],
      ),
    );
  return { cells, landscapes: ['A', 'B'] };
}

const MAP = island('  A A A\n A A B B\nA A   B B\n A A B B\n  A A A');

describe('hexes', () => {
  const layout = new HexLayout(MAP);

  it('finds every cell at its centre and near its corners', () => {
    for (const cell of layout.cells) {
      const at = layout.centre(cell);
      expect(layout.find(at)).toBe(cell);
      for (let angle = 0; angle < 360; angle += 15) {
        const near = {
          x: at.x + 0.84 * R * Math.cos((angle * Math.PI) / 180),
          y: at.y + 0.84 * R * Math.sin((angle * Math.PI) / 180),
        };
        expect(layout.find(near), `${cell} at ${angle}°`).toBe(cell);
      }
    }
  });

  it('finds nothing in the sea or in a hole of the island', () => {
    expect(layout.find({ x: -500, y: 0 })).toBeNull();
    const left = layout.centre('c2');
    const right = layout.centre('c6');
    expect(layout.find({ x: (left.x + right.x) / 2, y: left.y })).toBeNull();
  });

  it('keeps neighbours one hex apart in all six directions', () => {
    const at = layout.centre('b3');
    for (const cell of ['b1', 'b5', 'a2', 'a4', 'c2']) {
      const other = layout.centre(cell);
      expect(Math.hypot(other.x - at.x, other.y - at.y)).toBeCloseTo(Math.sqrt(3) * R);
    }
  });

  it('walks along rows, and between rows to the nearest cell', () => {
    expect(layout.step('a2', 'right', 0)).toBe('a4');
    expect(layout.step('a2', 'left', 0)).toBe('a2');
    expect(layout.step('a2', 'end', 0)).toBe('a6');
    expect(layout.step('a4', 'down', layout.centre('a4').x)).toMatch(/^b[35]$/);
    expect(layout.step('a4', 'up', 0)).toBe('a4');
  });

  it('draws one loop around a piece without holes, and two around a piece with one', () => {
    expect(layout.outline(['a2', 'a4', 'b3']).match(/M/g)).toHaveLength(1);
    expect(layout.outline(layout.cells).match(/M/g)).toHaveLength(2);
    expect(layout.outline(['a2', 'e2']).match(/M/g)).toHaveLength(2);
  });
});

const CELLS = Array.from({ length: 100 }, (_, i) => name({ column: i % 10, row: Math.floor(i / 10) }));

describe('towers', () => {
  it('translates names of cells to rows and columns', () => {
    expect(name({ column: 0, row: 0 })).toBe('a1');
    expect(place('j10')).toEqual({ column: 9, row: 9 });
  });

  it('is unchanged after four quarter turns', () => {
    for (const cell of ['a1', 'c7', 'j10']) {
      expect(turned(place(cell), 4)).toEqual(place(cell));
      expect(turned(turned(place(cell), 1), 3)).toEqual(place(cell));
    }
    expect(turned(place('a1'), 1)).toEqual(place('a10'));
  });

  it.each([0, 1, 2, 3])('draws what is behind first, turned by %i quarters', (quarters) => {
    const layout = new IsometricLayout(CELLS, quarters, {});
    const rank = new Map(layout.order.map((cell, i) => [cell, i]));
    for (const cell of CELLS)
      for (const other of CELLS)
        if (layout.ground(cell).y < layout.ground(other).y - 1)
          expect(rank.get(cell)).toBeLessThan(rank.get(other) as number);
  });

  it.each([0, 1, 2, 3])('finds the top of every tower that nothing hides, turned by %i quarters', (quarters) => {
    const heights = Object.fromEntries(CELLS.map((cell) => [cell, 1]));
    const layout = new IsometricLayout(CELLS, quarters, heights);
    for (const cell of CELLS) expect(layout.find(layout.centre(cell))).toBe(cell);
  });

  it('finds the tower in front at a hidden place', () => {
    const layout = new IsometricLayout(CELLS, 0, { a1: 6 });
    expect(layout.find(layout.ground('b2'))).toBe('a1');
    expect(layout.find(layout.ground('h8'))).toBe('h8');
    const top = layout.centre('a1');
    expect(top.y).toBe(layout.ground('a1').y - 6 * TALL);
    expect(layout.find(top)).toBe('a1');
  });

  /** Positions of real games, with their legal cells. */
  const positions = (
    played as unknown as {
      cells: string[];
      heights: Record<string, number>;
      flags: Record<string, number>;
      targets: string[];
    }[]
  ).map((one) => ({ ...one, legal: new Set(one.targets) }));

  it.each([0, 1, 2, 3])('lets no tower take the click of a legal cell behind it, turned by %i quarters', (quarters) => {
    let rescued = 0;
    for (const { cells, heights, flags, legal } of positions) {
      const layout = new IsometricLayout(cells, quarters, heights, flags);
      for (const cell of legal) {
        const at = layout.centre(cell);
        const front = layout.find(at) as string;
        const found = layout.find(at, (one) => legal.has(one)) as string;
        expect(found).toBe(legal.has(front) ? front : cell);
        if (front !== cell && found === cell) rescued++;
        expect(layout.isHidden(cell)).toBe(front !== cell);
      }
    }
    expect(rescued, 'the positions have such cells').toBeGreaterThan(0);
  });

  it('lets the mouse hit every legal cell in at least one of the four orientations', () => {
    for (const { cells, heights, flags, legal } of positions) {
      const layouts = [0, 1, 2, 3].map((quarters) => new IsometricLayout(cells, quarters, heights, flags));
      for (const cell of legal)
        expect(
          layouts.some((layout) => layout.find(layout.centre(cell), (one) => legal.has(one)) === cell),
          cell,
        ).toBe(true);
    }
  });

  it('finds the tower in front if nothing behind it matters', () => {
    const layout = new IsometricLayout(CELLS, 0, { a1: 6 });
    expect(layout.find(layout.ground('b2'), () => false)).toBe('a1');
    expect(layout.find(layout.ground('b2'), (cell) => cell === 'b2')).toBe('b2');
    expect(layout.find(layout.ground('b2'), (cell) => cell === 'b2' || cell === 'a1')).toBe('a1');
  });

  it('finds a flag by its cloth too', () => {
    const layout = new IsometricLayout(CELLS, 0, {}, { j10: 0 });
    const at = layout.centre('j10');
    expect(layout.find({ x: at.x + 8, y: at.y - 25 })).toBe('j10');
  });

  it('finds cells from above', () => {
    const layout = new PlanLayout(CELLS, 1);
    for (const cell of CELLS) expect(layout.find(layout.centre(cell))).toBe(cell);
    expect(layout.step('a1', 'up')).toBe('a1');
    expect(layout.step('a1', 'down')).toBe('b1');
  });
});

describe('zoom', () => {
  const box = { x: -100, y: -50, width: 400, height: 300 };

  it('keeps the point under the fingers where it is', () => {
    const at = { x: 40, y: 60 };
    const zoom = zoomed(WHOLE, 2, at, box);
    expect(inside(zoom, at).x).toBeCloseTo(at.x);
    expect(inside(zoom, at).y).toBeCloseTo(at.y);
  });

  it('never shows an empty margin', () => {
    const zoom = panned(zoomed(WHOLE, 3, { x: 0, y: 0 }, box), 9999, -9999, box);
    const corner = inside(zoom, { x: box.x, y: box.y });
    const other = inside(zoom, { x: box.x + box.width, y: box.y + box.height });
    expect(corner.x).toBeGreaterThanOrEqual(box.x - 1e-6);
    expect(other.y).toBeLessThanOrEqual(box.y + box.height + 1e-6);
  });

  it('is the whole board again at scale 1', () => {
    expect(within({ scale: 0.2, x: 70, y: 70 }, box)).toEqual({ scale: 1, x: 0, y: 0 });
  });
});

describe('the magnifying glass', () => {
  // A large island on a phone: 17 cells side by side on 374 pixels.
  const island = Array.from({ length: 17 }, (_, row) =>
    Array.from({ length: 17 }, (_, i) => ({
      name: `${String.fromCharCode(97 + row)}${2 * i + (row % 2)}`,
      row,
      x: 2 * i + (row % 2),
      landscape: 0,
    })),
  ).flat();
  const layout = new HexLayout({ cells: island });
  const pixel = layout.box.width / 374;
  const spot = (at: { x: number; y: number }) => ({ frame: at, drawing: at, pixel, fine: pixel });

  it('is needed there: neighbours are closer than a fingertip', () => {
    expect(layout.pitch / pixel).toBeLessThan(FINGER);
    expect(
      reached(layout.cells, (cell) => layout.centre(cell), layout.centre('i8'), REACH * pixel).length,
    ).toBeGreaterThan(1);
  });

  it.each(['a0', 'a32', 'i16', 'q0', 'q32'])(
    'makes every cell that a tap near %s could mean large enough, and shows it whole',
    (cell) => {
      for (let angle = 0; angle < 360; angle += 30) {
        const centre = layout.centre(cell);
        const at = {
          x: centre.x + 18 * pixel * Math.cos((angle * Math.PI) / 180),
          y: centre.y + 18 * pixel * Math.sin((angle * Math.PI) / 180),
        };
        const lens = lensAt(spot(at), layout.pitch, layout.box);
        expect((layout.pitch * lens.scale) / pixel).toBeGreaterThanOrEqual(FINGER);
        const meant = reached(layout.cells, (one) => layout.centre(one), at, REACH * pixel);
        expect(meant).toContain(cell);
        for (const one of meant) {
          const c = layout.centre(one);
          const x = lens.centre.x + (c.x - lens.at.x) * lens.scale;
          const y = lens.centre.y + (c.y - lens.at.y) * lens.scale;
          // All points within 20 pixels of its centre are in the glass and hit this cell.
          for (const [dx, dy] of [
            [19, 0],
            [-19, 0],
            [0, 19],
            [0, -19],
          ] as const) {
            const seen = through(lens, { x: x + dx * pixel, y: y + dy * pixel });
            expect(seen).not.toBeNull();
            expect(layout.find(seen as { x: number; y: number })).toBe(one);
          }
        }
      }
    },
  );

  it('is beside the finger, horizontally inside the frame, and never above its top', () => {
    for (const cell of layout.cells) {
      const at = layout.centre(cell);
      const { centre, radius } = lensAt(spot(at), layout.pitch, layout.box);
      expect(Math.hypot(centre.x - at.x, centre.y - at.y)).toBeGreaterThan(radius);
      expect(centre.x - radius).toBeGreaterThanOrEqual(layout.box.x - 1e-9);
      expect(centre.x + radius).toBeLessThanOrEqual(layout.box.x + layout.box.width + 1e-9);
      expect(centre.y - radius).toBeGreaterThanOrEqual(layout.box.y - 1e-9);
    }
  });

  it('stays inside a low and wide frame, and never under the finger', () => {
    const box = { x: 0, y: 0, width: 390, height: 257 };
    for (let x = 4; x < box.width; x += 6)
      for (let y = 4; y < box.height; y += 6) {
        const at = { x, y };
        const { centre, radius } = lensAt({ frame: at, drawing: at, pixel: 1, fine: 1 }, 22, box);
        expect(Math.hypot(centre.x - x, centre.y - y), `${x}, ${y}`).toBeGreaterThan(radius);
        for (const [place, from, size] of [
          [centre.x, box.x, box.width],
          [centre.y, box.y, box.height],
        ] as const) {
          expect(place - radius).toBeGreaterThanOrEqual(from);
          expect(place + radius).toBeLessThanOrEqual(from + size);
        }
      }
  });

  it('shows the place under the finger in its middle, and nothing outside itself', () => {
    const lens = lensAt(spot(layout.centre('i16')), layout.pitch, layout.box);
    expect(through(lens, lens.centre)).toEqual(layout.centre('i16'));
    expect(through(lens, { x: lens.centre.x + lens.radius + 1, y: lens.centre.y })).toBeNull();
    expect(magnified(lens)).toMatch(/^translate\(.+\) scale\(/);
  });
});
