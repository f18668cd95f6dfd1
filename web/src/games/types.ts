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

/** A choice of how the board is shown, as the settings offer it. */
export interface LookChoice {
  name: string;
  /** The key of its text; `label.value` is the text of a value. */
  label: string;
  values: readonly string[];
}

export interface GameFacts {
  name: GameName;
  /** What the numbers of its rules begin with: `TN` for `TN-16`. */
  rulePrefix: string;
  /** The rule about who starts, and who starts by default under these rules. */
  starterRule: string;
  starter: (rules: Rules) => 'first' | 'lot';
  /** The board of a game for which nobody chose one. */
  board?: string;
  /** A position for the start page, and one for the settings. */
  showcase: string;
  /** A turn that the start page plays on it, action by action. */
  sampleTurn?: readonly string[];
  /** The settings of a short game. */
  short?: Pick<NewGame, 'rules' | 'board'>;
  sample: string;
  /** Classes of the frame around its board: `sea` behind an island, `fills` for a board that leaves no room at its edges. */
  frame: (look: Look | undefined) => string;
  /** Choices of how the board is shown that the settings list. */
  looks?: readonly LookChoice[];
  /** Screens that only this game has. */
  screens?: readonly { path: string; load: () => Promise<unknown>; areas: string[] }[];
  page: () => Promise<GamePage>;
  lesson: () => Promise<readonly Step[]>;
  book: () => Promise<readonly Chapter[]>;
  /** A record to look at for readers without a file of their own. */
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

/** What the ledger of a game gets: everything needed to say who owns what. */
export interface LedgerProps<V extends View = View> {
  view: V;
  /** The turns up to this position. */
  turns: readonly Pick<Turn, 'number' | 'events'>[];
  /** What the turn being built has done so far. */
  draft?: readonly GameEvent[];
  colours: readonly string[];
  nameOf: (seat: Seat) => string;
  /** Called with the cells of the entry that is pointed at; with none when no entry is. */
  onpoint?: (cells: readonly Cell[]) => void;
}

export interface GameBoardProps<V extends View = View> extends BoardProps {
  view: V;
  board: BoardView | null;
  look: Look | undefined;
  /** By how many quarters the board is turned. */
  quarters: number;
  flashes: readonly Flash[];
  /** What has happened up to this position, as far as it is known; found when it is asked for. */
  history: () => readonly GameEvent[];
  /** Cells that something beside the board points at. */
  pointed: readonly Cell[];
  /** Whose land lies nearest to the reader, where the board can be turned. */
  front: Seat | null;
}

export interface EndingProps<V extends View = View> {
  view: V;
  turns: readonly Turn[];
  seats: readonly SeatView[];
  winners: readonly Seat[];
  /** What the reader calls a player. */
  nameOf: (seat: Seat) => string;
  onpoint: (cells: readonly Cell[]) => void;
}

/** Everything in which games differ on a screen that shows one of them. */
export interface GamePage<V extends View = View> {
  Board: Component<GameBoardProps<V>>;
  /** What a seat has, below its name. */
  SeatFacts: Component<{ view: V; seat: Seat; rules: Rules }>;
  /** What the end of a game shows of it: how each seat got what it has. */
  Ending?: Component<EndingProps<V>>;
  /** Who owns what: for the panel beside the board and for the end of a game. */
  Ledger?: Component<LedgerProps<V>>;
  /** The key of the ledger's title. */
  ledgerTitle?: string;
  /** Controls of how the board is shown. */
  Tools?: Component<{ onrotate: () => void }>;
  /** What single keys do to how the board is shown. */
  keys?: Readonly<Record<string, () => void>>;
  /** Whether players may agree to end the game where it stands. */
  canProposeEnd: boolean;
  /** What belongs to no seat: the supply, the last round. */
  status: (view: V) => string | null;
  /** Whether a click can mean several things in one phase: the choice has a place in the card of the turn. */
  hasModes?: boolean;
  /** What is left to do in the turn that is being built. */
  left: (view: V) => string | null;
  /** Legal actions that no cell of the board stands for: they become buttons. */
  unplaced?: (view: V, legal: readonly Action[]) => Action[];
  /** What an action of this cost leaves. */
  price?: (view: V, cost: number) => string | null;
  /** A seat's score in a few characters. */
  standing: (view: V, seat: Seat) => string;
  /** What cells are before anything stands on them, in words. */
  land?: (board: BoardView | null) => Map<Cell, string>;
  /** What cells are in this position, in words, where that is more than their land. */
  cells: (view: V, land: ReadonlyMap<Cell, string>, colours: readonly string[]) => Map<Cell, string>;
  /** An event in words; null if it needs none, undefined if its text only fills in its facts. */
  eventText?: (event: GameEvent, reader: Reader) => string | null | undefined;
  /** What an event took from a seat, said to its player; null if nothing. */
  lossText?: (event: GameEvent, seat: Seat, nameOf: (seat: Seat) => string) => string | null;
  /** What an action would do beyond itself, in words; null if that needs none. */
  previewText?: (effects: readonly GameEvent[], nameOf: (seat: Seat) => string) => string | null;
  /** The land that a reason of the engine is about, in words. */
  reasonLand?: (reason: Reason) => string;
  /** The land that an event awards, and what each seat gets for it. */
  awarded?: (event: GameEvent) => { cells: Cell[]; awards: number[] } | null;
  /** Small drawings for kinds of actions in lists of turns: paths in a square of 24. */
  icons?: Readonly<Record<string, string>>;
  /** The sounds of its events. */
  sounds: Readonly<Record<string, Sound>>;
  /** What an action will look like before the server has answered. */
  shown: (view: V, action: Pick<Action, 'kind' | 'source' | 'target'>) => V;
  /** The mark before the cell, for each kind of action that names only a target. */
  marks: Readonly<Record<string, string>>;
  /** The pieces that lessons ask about. */
  pieces: (view: V) => Readonly<Record<Cell, Seat>>;
  /** Whether a goal that only this game has is reached. */
  isReached?: (goal: Goal, view: V, seat: Seat) => boolean;
  /** A board of a lesson, with the names its landscapes have elsewhere. */
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
  /** Whose piece it is. */
  seat?: Seat;
}

export interface EditorNumbersProps<S extends Setup = Setup> {
  setup: S;
  rules: Rules;
  /** What the seats are called. */
  names: readonly string[];
  onchange: (setup: S) => void;
}

export interface PainterProps {
  board: BoardView;
  /** Called with every board that can be played on. */
  onboard: (board: BoardView) => void;
}

/** How a position of a game is set up: what each tool does to it. Whether it is a position at all is not decided here. */
export interface GameEditor<V extends View = View, S extends Setup = Setup> {
  setup: (view: V) => S;
  /** The same without anything on the board. */
  cleared: (setup: S) => S;
  /** The phases that a position can be in, as the game's `compose` names them. */
  phases: readonly string[];
  tools: (names: readonly string[]) => EditorTool[];
  put: (setup: S, cell: Cell, tool: EditorTool) => S;
  /** How the setup looks; what it lacks is taken from `view`. */
  shown: (view: V, setup: S) => V;
  /** What is not on the board: scores, supply, attacks. */
  Numbers: Component<EditorNumbersProps<S>>;
  /** Draws the board itself, where boards can differ. */
  Painter?: Component<PainterProps>;
  /** The setup under other rules, where one of its numbers depends on them. */
  ruled?: (setup: S, before: Rules, after: Rules) => S;
  /** The part of a setup that another board has room for. */
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
