/**
 * The types of the server's requests and answers. `openapi.d.ts` is made from `docs/openapi.json` (`npm run types`); here its types get
 * the names of our vocabulary, and exact types for parts that the schema leaves open (a position's view, a kind).
 */

import type { components } from './openapi';

export type Schemas = components['schemas'];
type With<Base, Exact> = Omit<Base, keyof Exact> & Exact;

/** A game's name in the server's registry. */
export type GameName = string;
export type Cell = string;
export type Seat = number;

export type Action = With<Schemas['ActionShape'], { id?: number; cost?: number }>;

export interface GameEvent {
  kind: string;
  [fact: string]: unknown;
}

export type Outcome = Schemas['OutcomeView'];

export type BoardCell = Schemas['BoardCell'];

export type BoardView = Schemas['BoardView'];

/** The fields of a position that all games share. Those of one game are in its folder. */
export interface View {
  game: GameName;
  phase: string;
  to_move: Seat | null;
  at_turn_start: boolean;
  hand: number[];
  resigned: Seat[];
  outcome: Outcome | null;
}

/** A tip for a beginner in a position. */
export type Advice = Schemas['Advice'];

/** A computer player with a name. */
export type Character = Schemas['Character'];

export type SeatView = With<Schemas['SeatView'], { kind: 'device' | 'computer' | 'link' | 'open' }>;

export type Turn = With<
  Partial<Schemas['TurnView']>,
  { number: number; seat: Seat; actions: string[]; events: GameEvent[]; view?: View; position?: string }
>;

export type ClockSetting =
  { kind: 'game'; seconds: number; increment: number } | { kind: 'correspondence'; days: number };

export type Clock = Partial<Schemas['ClockView']>;

export type Offer = With<Schemas['OfferView'], { kind: 'takeback' | 'draw' | 'end' }>;

export type Rules = Record<string, string | number | boolean | null>;

export type Reach = Schemas['Way'];

export type Resignation = With<Schemas['ResignationView'], { events: GameEvent[] }>;

export type Snapshot = With<
  Schemas['Snapshot'],
  {
    game: GameName;
    rules: Rules;
    seats: SeatView[];
    clock: Clock | null;
    visibility: 'private' | 'listed';
    view: View;
    legal: Action[];
    reach?: Record<Cell, Reach[]>;
    turns: Turn[];
    resignations: Resignation[];
    offers: Offer[];
  }
>;

/** Exact types for the fields of live messages about events. */
interface Exact {
  view: View;
  legal: Action[];
  seats: SeatView[];
  offers: Offer[];
  clock: Clock | null;
}
type EventMessage<Name extends 'TurnMessage' | 'ResignedMessage', More> = With<Schemas[Name], Exact & More>;

/** The messages of a live connection, as the server describes them. */
export type LiveMessage =
  | (Snapshot & Pick<Schemas['SnapshotMessage'], 'type'>)
  | (Omit<Snapshot, 'you'> & Pick<Schemas['TakebackMessage'], 'type'>)
  | EventMessage<'TurnMessage', { turn: Turn }>
  | EventMessage<'ResignedMessage', { resignation: Resignation }>
  | Schemas['OffersMessage']
  | Schemas['SeatsMessage']
  | Schemas['RematchMessage']
  | Schemas['OverMessage']
  | Schemas['PresenceMessage']
  | Schemas['ReadyMessage']
  | Schemas['ChangedMessage']
  | Schemas['PongMessage']
  | Schemas['QueueMessage'];

export type Summary = With<Schemas['Summary'], { game: GameName; seats: SeatView[]; view: View }>;

export type TryResult = With<
  Partial<Schemas['TriedPosition']>,
  {
    seq?: number;
    legal: Action[];
    reach?: Record<Cell, Reach[]>;
    previews?: Record<string, GameEvent[]>;
    effects: GameEvent[][];
    view: View;
    position: string;
    turn_complete: boolean;
    /** How the game would end if the turn were finished here. */
    ending?: Outcome | null;
    rules?: Rules;
    turns?: Turn[];
  }
>;

export interface OptionInfo {
  name: string;
  kind: 'choice' | 'flag' | 'number';
  default: string | number | boolean | null;
  rule: string;
  choices: (string | number)[];
  minimum: number | null;
  maximum: number | null;
}

export interface GameMeta {
  title: string;
  players: number[];
  options: OptionInfo[];
  editions?: Record<string, Rules>;
  variants?: string[];
  /** The colours of the seats, by the number of players. */
  colours?: Record<string, string[]>;
  /** The levels of its computer players; empty if it has none. */
  levels?: number[];
  /** Its computer players with names. */
  characters?: Character[];
  boards?: { name: string; note?: string; cells: number; landscapes: number | string[] }[];
}

export interface Meta {
  games: Record<GameName, GameMeta>;
  levels: number[];
  /** The level of a computer player if none is chosen, in games that have that many levels. */
  default_level: number;
  limits: Record<string, unknown>;
  /** Who may create an account. */
  sign_up?: 'open' | 'invite' | 'closed';
  version: string;
}

export interface SeatChoice {
  kind: 'device' | 'computer' | 'link' | 'open';
  name?: string;
  level?: number;
}

/** A board that is not built in, as the page sends it. */
export type CustomBoard = Pick<Schemas['CustomBoard'], 'name' | 'map'> & { landscapes: Record<string, string> };

export interface NewGame {
  game: GameName;
  rules: Rules;
  board?: string | CustomBoard;
  /** The position to start from; then `rules` is left out. */
  position?: string;
  seats: SeatChoice[];
  clock: ClockSetting | null;
  on_timeout?: 'resign' | 'computer';
  starter: 'first' | 'lot';
  visibility: 'private' | 'listed';
}

/** Why a turn is better or worse: what the better turn gains, or what the other one allows. A code with facts. */
export interface Reason {
  side: 'gains' | 'allows';
  code: string;
  seat?: Seat;
  owner?: Seat;
  cell?: Cell;
  cells?: Cell[];
  points?: number;
  height?: number;
  regions?: number;
  landscape?: string;
  landscapes?: string[];
}

export interface AnalysisLine {
  turn: string[];
  /** The expected replies, turn by turn. */
  replies?: string[][];
  shares: number[];
  reasons?: Reason[];
}

export interface Analysis {
  shares: number[];
  scores?: number[] | null;
  lines: AnalysisLine[];
  done: boolean;
}

/** The engine's verdict on a turn. `best` is null if there was no alternative. */
export type Verdict = With<Schemas['Verdict'], { best?: string[] | null; reasons?: Reason[] }>;

export type ReviewTurn = Verdict & { number: number };

export interface Review {
  status: 'running' | 'done';
  turns: ReviewTurn[];
}

export type ReadRecord = With<
  Schemas['ReadRecord'],
  { game: GameName; rules: Rules; start_view: View; turns: Turn[]; outcome: Outcome | null }
>;

/** The position after a turn of a tree, and the turn. */
export type NodeView = With<Schemas['NodeView'], { events: GameEvent[]; view: View }>;

export type ReadTree = With<
  Schemas['ReadTree'],
  { game: GameName; rules: Rules; start_view: View; nodes: NodeView[]; outcome: Outcome | null }
>;

export type Me = Schemas['Me'];

/** An account and its recovery codes, which are shown only once. */
export type SignedUp = Schemas['SignedUp'];

/** An API token for a bot; its text is present only when it is new. */
export type Token = Schemas['TokenView'];
