import type { Cell } from '../net/types';
import type { Spot } from './lens';
import type { Box, Hand, Point } from './types';
import { inside, panned, transform, WHOLE, zoomed, type Zoom } from './viewport';

/** How `listen` and a board talk. Cells are computed from coordinates, never from the element under the pointer. */
export interface PointerPort {
  find(spot: Spot, hand: Hand): Cell | null;
  box(): Box;
  canGrab(cell: Cell): boolean;
  onhover(cell: Cell | null, point: Point): void;
  oncell(cell: Cell | null, hand: Hand, spot: Spot): void;
  ongrab(cell: Cell): void;
  ondrag(point: Point): void;
  ondrop(cell: Cell | null): void;
  onzoom(isZoomed: boolean): void;
  /** Whether this mouse button draws arrows. */
  draws(button: number): boolean;
  /** Called while an arrow is being drawn, and with nulls when that ends. */
  onsketch(source: Cell | null, target: Cell | null): void;
  ondraw(source: Cell, target: Cell): void;
}

const STILL = 7;

/** Handles hover, click, drag, pinch, pan and wheel on one board. Returns zoom commands and `stop`. */
export function listen(svg: SVGSVGElement, layer: SVGGElement, port: PointerPort) {
  let zoom = WHOLE;
  let frame = 0;
  const pointers = new Map<number, Point>();
  let start: { point: Point; cell: Cell | null; hand: Hand; spot: Spot } | undefined;
  let mode: 'idle' | 'press' | 'drag' | 'pan' | 'pinch' | 'draw' = 'idle';
  let pinch = 0;

  function apply(next: Zoom): void {
    zoom = next;
    port.onzoom(zoom.scale > 1);
    if (!frame)
      frame = requestAnimationFrame(() => {
        frame = 0;
        layer.setAttribute('transform', transform(zoom));
      });
  }

  // Maps the frame to the screen. Reading it forces a layout of the page, so it is read at most ten times a second,
  // and again after anything that moves the board. It is not read when the board is redrawn under a resting mouse.
  let matrix: DOMMatrix | null = null;
  let asked = -Infinity;
  let isResting = false;
  function place(): DOMMatrix | null {
    const now = performance.now();
    if (now - asked > (isResting ? Infinity : 100)) {
      matrix = svg.getScreenCTM();
      asked = now;
    }
    return matrix;
  }
  const forget = () => (asked = -Infinity);
  let drawn = '';

  /** Client pixels to units of the frame. */
  function units(client: Point): Point {
    const frame = place();
    if (!frame) return client;
    return { x: (client.x - frame.e) / frame.a, y: (client.y - frame.f) / frame.d };
  }
  const perPixel = () => 1 / (place()?.a || 1);
  const at = (event: PointerEvent | MouseEvent): Point => ({ x: event.clientX, y: event.clientY });
  const drawing = (client: Point) => inside(zoom, units(client));
  function spotAt(client: Point): Spot {
    const frame = units(client);
    const pixel = perPixel();
    return { frame, drawing: inside(zoom, frame), pixel, fine: pixel / zoom.scale };
  }
  const cellAt = (client: Point, hand: Hand) => port.find(spotAt(client), hand);

  // Pointer events arrive faster than frames: handle only the last move of each frame.
  let latest: PointerEvent | undefined;
  let resting: PointerEvent | undefined;
  let moving = 0;
  let hovered: Cell | null = null;
  function moved(event: PointerEvent): void {
    if (mode === 'pinch') {
      move(event);
      return;
    }
    latest = event;
    moving ||= requestAnimationFrame(settle);
  }
  function settle(): void {
    cancelAnimationFrame(moving);
    moving = 0;
    const event = latest;
    latest = undefined;
    isResting = event !== undefined && event === resting;
    if (event?.pointerType === 'mouse') resting = event;
    if (event) move(event);
    isResting = false;
  }
  function hover(point: Point): void {
    const cell = cellAt(point, 'mouse');
    if (cell !== null || hovered !== null) port.onhover(cell, drawing(point));
    hovered = cell;
  }

  function down(event: PointerEvent): void {
    const isDrawn = port.draws(event.button);
    if (event.button !== 0 && !isDrawn) return;
    settle();
    forget();
    pointers.set(event.pointerId, at(event));
    const hand: Hand = event.pointerType === 'mouse' ? 'mouse' : 'touch';
    if (pointers.size === 2) {
      if (mode === 'drag') port.ondrop(null);
      if (mode === 'draw') port.onsketch(null, null);
      mode = 'pinch';
      pinch = spread();
      return;
    }
    const spot = spotAt(at(event));
    // A drawing begins at the cell under the pointer, not at the nearest cell that matters.
    start = { point: at(event), cell: port.find(spot, isDrawn ? 'mouse' : hand), hand, spot };
    mode = isDrawn ? 'draw' : 'press';
    if (!isDrawn) return;
    svg.setPointerCapture(event.pointerId);
    port.onsketch(start.cell, start.cell);
  }

  function spread(): number {
    const [a, b] = [...pointers.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  function middle(): Point {
    const all = [...pointers.values()];
    return { x: all.reduce((s, p) => s + p.x, 0) / all.length, y: all.reduce((s, p) => s + p.y, 0) / all.length };
  }

  function move(event: PointerEvent): void {
    const now = at(event);
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === 'mouse') hover(now);
      return;
    }
    if (mode === 'pinch') {
      const centre = middle();
      pointers.set(event.pointerId, now);
      const wide = spread();
      const moved = middle();
      const scale = perPixel();
      apply(zoomed(zoom, wide / (pinch || wide || 1), units(moved), port.box()));
      apply(panned(zoom, (moved.x - centre.x) * scale, (moved.y - centre.y) * scale, port.box()));
      pinch = wide;
      return;
    }
    pointers.set(event.pointerId, now);
    if (!start) return;
    if (mode === 'press' && Math.hypot(now.x - start.point.x, now.y - start.point.y) > STILL) {
      if (start.hand === 'mouse' && start.cell && port.canGrab(start.cell)) {
        mode = 'drag';
        svg.setPointerCapture(event.pointerId);
        port.ongrab(start.cell);
      } else if (zoom.scale > 1) {
        mode = 'pan';
        svg.setPointerCapture(event.pointerId);
      } else mode = 'idle';
    }
    if (mode === 'draw') port.onsketch(start.cell, cellAt(now, 'mouse'));
    if (mode === 'drag') {
      port.ondrag(drawing(now));
      hover(now);
    }
    if (mode === 'pan') {
      const scale = perPixel();
      const dy = (now.y - before.y) * scale;
      const next = panned(zoom, (now.x - before.x) * scale, dy, port.box());
      const left = dy - (next.y - zoom.y);
      apply(next);
      // At the edge of the board the finger scrolls the page, so that the reader can always leave the board.
      if (start.hand === 'touch' && Math.abs(left) > 0.01) scrollBy(0, -left / scale);
    }
  }

  function up(event: PointerEvent): void {
    settle();
    const hand: Hand = event.pointerType === 'mouse' ? 'mouse' : 'touch';
    const known = pointers.delete(event.pointerId);
    if (!known) return;
    if (mode === 'drag') port.ondrop(cellAt(at(event), 'mouse'));
    else if (mode === 'draw' && start) {
      const end = cellAt(at(event), 'mouse');
      port.onsketch(null, null);
      if (start.cell !== null && end !== null) port.ondraw(start.cell, end);
    } else if (mode === 'press' && start) port.oncell(start.cell, hand, start.spot);
    if (pointers.size === 0) mode = 'idle';
    start = undefined;
  }

  function cancel(event: PointerEvent): void {
    pointers.delete(event.pointerId);
    if (mode === 'drag') port.ondrop(null);
    if (mode === 'draw') port.onsketch(null, null);
    if (pointers.size === 0) mode = 'idle';
    start = undefined;
  }

  function leave(): void {
    latest = undefined;
    resting = undefined;
    hovered = null;
    port.onhover(null, { x: 0, y: 0 });
  }

  function wheel(event: WheelEvent): void {
    // Plain scrolling scrolls the page; only a pinch on the touchpad (or Ctrl and the wheel) zooms the board.
    if (!event.ctrlKey) return;
    event.preventDefault();
    apply(zoomed(zoom, Math.exp(-event.deltaY / 240), units(at(event)), port.box()));
  }

  /** Two fingers zoom the board instead of the page. One finger scrolls the page. */
  function touch(event: TouchEvent): void {
    if (event.touches.length > 1) event.preventDefault();
  }

  /** Suppresses the context menu, because the right button draws. */
  function menu(event: MouseEvent): void {
    if (port.draws(2)) event.preventDefault();
  }

  const gone = new AbortController();
  const { signal } = gone;
  svg.addEventListener('pointerdown', down, { signal });
  svg.addEventListener('pointermove', moved, { signal });
  svg.addEventListener('pointerup', up, { signal });
  svg.addEventListener('pointercancel', cancel, { signal });
  svg.addEventListener('pointerleave', leave, { signal });
  for (const name of ['scroll', 'resize']) addEventListener(name, forget, { capture: true, passive: true, signal });
  svg.addEventListener('wheel', wheel, { passive: false, signal });
  svg.addEventListener('contextmenu', menu, { signal });
  svg.addEventListener('touchstart', touch, { passive: false, signal });
  svg.addEventListener('touchmove', touch, { passive: false, signal });

  return {
    zoomBy(factor: number): void {
      const box = port.box();
      apply(zoomed(zoom, factor, { x: box.x + box.width / 2, y: box.y + box.height / 2 }, box));
    },
    reset(): void {
      apply(WHOLE);
    },
    /** Call this after the board was redrawn: another cell may now be under a resting mouse. */
    redrawn(): void {
      const { x, y, width, height } = port.box();
      const box = `${x} ${y} ${width} ${height}`;
      if (box !== drawn) forget();
      drawn = box;
      latest ??= resting;
      if (latest) moving ||= requestAnimationFrame(settle);
    },
    stop(): void {
      cancelAnimationFrame(frame);
      cancelAnimationFrame(moving);
      gone.abort();
    },
  };
}
