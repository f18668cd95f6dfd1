/** What the page needs from a game: facts that are loaded at once, and a part with its board that is loaded on demand. */

import type { Component } from 'svelte';
import type { BoardProps, Flash } from '../lib/board/types';
import type { Reader } from '../lib/game/person';
import type { Chapter, Goal, Step } from '../lib/learn/types';
import type {
  Action,
  BoardView,
  Cell,
  CustomBoard,
  GameEvent,
  GameMeta,
  GameName,
  NewGame,
  Reason,
  Rules,
  Seat,
  SeatView,
  Turn,
  View,
} from '../lib/net/types';
import type { Look } from '../lib/settings.svelte';
import type { Sound } from '../lib/sound';

/** A setting of how the board is shown. */
export interface LookChoice {
  name: string;
  /** The key of its text; `label.value` is the text of a value. */
  label: string;
  values: readonly string[];
}

export interface GameFacts {
  name: GameName;
  /** The prefix of its rule numbers: `TN` for `TN-16`. */
  rulePrefix: string;
  /** The rule about who starts, and who starts by default under these rules. */
  starterRule: string;
  starter: (rules: Rules) => 'first' | 'lot';
  /** The default board. */
  board?: string;
  /** A position for the start page. */
  showcase: string;
  /** A turn that the start page plays from `showcase`, action by action. */
  sampleTurn?: readonly string[];
  /** The settings of a short game. */
  short?: Pick<NewGame, 'rules' | 'board'>;
  /** A position for the settings. */
  sample: string;
  /** Classes of the frame around its board: `sea` behind an island, `fills` for a board that leaves no room at its edges. */
  frame: (look: Look | undefined) => string;
  /** The settings of how its board is shown. */
  looks?: readonly LookChoice[];
  /** Screens that only this game has. */
  screens?: readonly { path: string; load: () => Promise<unknown>; areas: string[] }[];
  page: () => Promise<GamePage>;
  lesson: () => Promise<readonly Step[]>;
  book: () => Promise<readonly Chapter[]>;
  /** A record for readers without a file of their own. */
  example?: () => Promise<string>;
  /** How a position of it is set up piece by piece. */
  editor?: () => Promise<GameEditor>;
  /** What the form for a new game shows under *Board*. */
  newBoard: () => Promise<Component<NewBoardProps, object, 'board'>>;
}

export interface NewBoardProps {
  board: string | CustomBoard | undefined;
  boards: NonNullable<GameMeta['boards']>;
  rules: Rules;
  colours: readonly string[];
  /** Whether it links to the editor, where a board can be painted. */
  canPaint?: boolean;
}

/** The props of a game's ledger, which shows what each seat owns. */
export interface LedgerProps<V extends View = View> {
  view: V;
  /** The turns up to this position. */
  turns: readonly Pick<Turn, 'number' | 'events'>[];
  /** The events of the turn being built. */
  draft?: readonly GameEvent[];
  colours: readonly string[];
  nameOf: (seat: Seat) => string;
  /** Called with the cells of the entry under the pointer or the focus; with none if there is no such entry. */
  onpoint?: (cells: readonly Cell[]) => void;
}

export interface GameBoardProps<V extends View = View> extends BoardProps {
  view: V;
  board: BoardView | null;
  look: Look | undefined;
  /** How many quarter turns the board is rotated by. */
  quarters: number;
  flashes: readonly Flash[];
  /** The known events up to this position, computed on demand. */
  history: () => readonly GameEvent[];
  /** Cells to highlight, because an entry beside the board points at them. */
  pointed: readonly Cell[];
  /** The seat whose land is nearest to the reader, on boards that can be turned. */
  front: Seat | null;
}

export interface EndingProps<V extends View = View> {
  view: V;
  turns: readonly Turn[];
  seats: readonly SeatView[];
  winners: readonly Seat[];
  /** A player's name as the reader sees it. */
  nameOf: (seat: Seat) => string;
  onpoint: (cells: readonly Cell[]) => void;
}

/** Everything that differs between games on the screens that show one. */
export interface GamePage<V extends View = View> {
  Board: Component<GameBoardProps<V>>;
  /** A seat's score and pieces, shown below its name. */
  SeatFacts: Component<{ view: V; seat: Seat; rules: Rules }>;
  /** The part of the end screen that shows how each seat got its score. */
  Ending?: Component<EndingProps<V>>;
  /** A list of what each seat owns, for the panel beside the board and the end screen. */
  Ledger?: Component<LedgerProps<V>>;
  /** The key of the ledger's title. */
  ledgerTitle?: string;
  /** Controls of how the board is shown. */
  Tools?: Component<{ onrotate: () => void }>;
  /** Keyboard shortcuts that change how the board is shown. */
  keys?: Readonly<Record<string, () => void>>;
  /** Whether players may agree to end the game in the current position. */
  canProposeEnd: boolean;
  /** The state that belongs to no seat, in words: the supply, the last round. */
  status: (view: V) => string | null;
  /** Whether a click can mean several things in one phase; the turn card then has room for the choice. */
  hasModes?: boolean;
  /** What is left to do in the turn being built, in words. */
  left: (view: V) => string | null;
  /** Legal actions that a click on a cell can't express; they become buttons. */
  unplaced?: (view: V, legal: readonly Action[]) => Action[];
  /** The cost of an action and what remains after it, in words. */
  price?: (view: V, cost: number) => string | null;
  /** A seat's score in a few characters. */
  standing: (view: V, seat: Seat) => string;
  /** The descriptions of empty cells. */
  land?: (board: BoardView | null) => Map<Cell, string>;
  /** The descriptions of cells in this position; a cell that is left out has the description of its land. */
  cells: (view: V, land: ReadonlyMap<Cell, string>, colours: readonly string[]) => Map<Cell, string>;
  /** An event in words; null if it has no text, undefined if the catalogue's text with the event's facts is enough. */
  eventText?: (event: GameEvent, reader: Reader) => string | null | undefined;
  /** A sentence to a player about what an event took from the seat; null if it took nothing. */
  lossText?: (event: GameEvent, seat: Seat, nameOf: (seat: Seat) => string) => string | null;
  /** The further effects of an action in words; null if there are none to mention. */
  previewText?: (effects: readonly GameEvent[], nameOf: (seat: Seat) => string) => string | null;
  /** The land that a reason of the engine is about, in words. */
  reasonLand?: (reason: Reason) => string;
  /** The land that an event awards, and the points of each seat. */
  awarded?: (event: GameEvent) => { cells: Cell[]; awards: number[] } | null;
  /** Icons of kinds of actions in lists of turns: paths in a square of 24. */
  icons?: Readonly<Record<string, string>>;
  /** The sounds of its events. */
  sounds: Readonly<Record<string, Sound>>;
  /** The view after an action, drawn until the server has answered. */
  shown: (view: V, action: Pick<Action, 'kind' | 'source' | 'target'>) => V;
  /** The sign before the cell in notation, for each kind of action that names only a target. */
  marks: Readonly<Record<string, string>>;
  /** The pieces that lessons ask about. */
  pieces: (view: V) => Readonly<Record<Cell, Seat>>;
  /** Whether a goal that only this game has is reached. */
  isReached?: (goal: Goal, view: V, seat: Seat) => boolean;
  /** A lesson's board with the usual names of landscapes. */
  taught?: (board: BoardView) => BoardView;
}

/** The pieces and numbers of a position, as the game's `compose` takes them. */
export interface Setup {
  to_move: Seat;
  phase: string;
  [name: string]: unknown;
}

/** What a click on a cell puts there or takes away. */
export interface EditorTool {
  name: string;
  label: string;
  /** A drawing in a square of 24. */
  icon: string;
  /** The seat that the piece belongs to. */
  seat?: Seat;
}

export interface EditorNumbersProps<S extends Setup = Setup> {
  setup: S;
  rules: Rules;
  /** The names of the seats. */
  names: readonly string[];
  onchange: (setup: S) => void;
}

export interface PainterProps {
  board: BoardView;
  /** Called with every board that can be played on. */
  onboard: (board: BoardView) => void;
}

/** How a position of a game is set up with tools. The server or the tab checks whether the result is legal. */
export interface GameEditor<V extends View = View, S extends Setup = Setup> {
  setup: (view: V) => S;
  /** The setup with an empty board. */
  cleared: (setup: S) => S;
  /** The phases that a position can be in, as the game's `compose` names them. */
  phases: readonly string[];
  tools: (names: readonly string[]) => EditorTool[];
  put: (setup: S, cell: Cell, tool: EditorTool) => S;
  /** The view of a setup; missing fields come from `view`. */
  shown: (view: V, setup: S) => V;
  /** Fields for numbers that are not on the board: scores, supply, attacks. */
  Numbers: Component<EditorNumbersProps<S>>;
  /** Edits the board itself, in games with several boards. */
  Painter?: Component<PainterProps>;
  /** The setup under other rules, if one of its numbers depends on them. Both rules have all options that have a value. */
  ruled?: (setup: S, before: Rules, after: Rules) => S;
  /** The part of a setup that fits on another board. */
  fitted?: (setup: S, board: BoardView) => S;
}

/** Narrow an editor to the setups of its own game; the registry passes it no others. */
export function gameEditor<V extends View, S extends Setup>(editor: GameEditor<V, S>): GameEditor;
export function gameEditor(editor: GameEditor): GameEditor {
  return editor;
}

/** Narrow a page to the views of its own game; the registry passes it no others. */
export function gamePage<V extends View>(page: GamePage<V>): GamePage;
export function gamePage(page: GamePage): GamePage {
  return page;
}
