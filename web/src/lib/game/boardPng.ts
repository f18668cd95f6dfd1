/** The board on the screen as a PNG: the browser renders a copy of its SVG with the page’s styles inside. */

const WIDTH = 1400;

function styles(): string {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText));
  // Show the final state of animations, not their first frame.
  return [...rules, '* { animation: none !important; transition: none !important; }'].join('\n');
}

function loaded(url: string): Promise<HTMLImageElement> {
  return new Promise((done, failed) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => failed(new Error('the board could not be drawn'));
    image.src = url;
  });
}

/** A PNG of a board, with the background of `stage`. */
export async function boardPng(board: SVGSVGElement, stage: Element): Promise<Blob> {
  const { width, height } = board.viewBox.baseVal;
  const tall = Math.round((WIDTH * height) / width);
  const copy = board.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(WIDTH));
  copy.setAttribute('height', String(tall));
  // The styles select theme and board style on the root element, which in the picture is this SVG.
  Object.assign(copy.dataset, document.documentElement.dataset);
  copy.dataset['theme'] ??= matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const shared = document.querySelector('svg.defs defs')?.cloneNode(true);
  if (shared) copy.prepend(shared);
  const style = document.createElementNS('http://www.w3.org/2000/svg', 'style');
  style.textContent = styles();
  copy.prepend(style);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' }));
  try {
    const image = await loaded(url);
    const canvas = document.createElement('canvas');
    canvas.width = WIDTH;
    canvas.height = tall;
    const paint = canvas.getContext('2d');
    if (!paint) throw new Error('nothing to paint on');
    const ground = getComputedStyle(stage).backgroundColor;
    paint.fillStyle =
      ground === 'rgba(0, 0, 0, 0)' ? getComputedStyle(document.documentElement).backgroundColor : ground;
    paint.fillRect(0, 0, WIDTH, tall);
    paint.drawImage(image, 0, 0, WIDTH, tall);
    return await new Promise((done, failed) =>
      canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
