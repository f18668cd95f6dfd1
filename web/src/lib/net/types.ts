/** What the server says and hears, as `docs/openapi.json` has it. */

export type GameName = 'nova' | 'turrium';
export type Cell = string;
export type Seat = number;

export interface Action {
  text: string;
  kind: string;
  source: Cell | null;
  target: Cell | null;
  id?: number;
  cost?: number;
}

export interface GameEvent {
  kind: string;
  [fact: string]: unknown;
}

export interface Outcome {
  winners: Seat[];
  reason: string;
  scores: number[] | null;
}

export interface BoardCell {
  name: Cell;
  row: number;
  x: number;
  landscape: number;
}

export interface BoardView {
  name: string;
  author?: string;
  note?: string;
  map?: string;
  letters?: string[];
  landscapes: string[];
  cells: BoardCell[];
}

export interface Region {
  cells: Cell[];
  landscapes: string[];
  pioneers: number[];
  points: number;
  awards: number[];
  is_closable: boolean;
}

interface CommonView {
  phase: string;
  to_move: Seat | null;
  at_turn_start: boolean;
  hand: number[];
  resigned: Seat[];
  outcome: Outcome | null;
}

export interface NovaView extends CommonView {
  game: 'nova';
  actions_left: number;
  pioneers: Record<Cell, Seat>;
  stones: Cell[];
  dead: Cell[];
  supply: number;
  scores: number[];
  moved: Cell[];
  regions: Region[];
}

export interface Ladder {
  held: number[];
  missing: number[];
}

export interface TurriumView extends CommonView {
  game: 'turrium';
  points_left: number;
  cubes_in_hand: number;
  heights: Record<Cell, number>;
  flags: Record<Cell, Seat>;
  attacks: number[];
  captures: number[];
  rounds: number;
  unlocked: boolean;
  declared: Seat[];
  is_last_round: boolean;
  cells: Cell[];
  territories: Record<Cell, Seat | null>;
  exterior: Cell[];
  ladders: Ladder[];
}

export type View = NovaView | TurriumView;

export interface SeatView {
  seat: Seat;
  kind: 'device' | 'computer' | 'link' | 'open';
  name: string | null;
  level: number | null;
  is_taken: boolean;
  is_connected: boolean;
  colour: string;
  resigned: boolean;
}

export interface Turn {
  number: number;
  seat: Seat;
  actions: string[];
  events: GameEvent[];
  at?: string;
  clock_ms?: number | null;
  by?: 'player' | 'computer' | 'timeout';
  view?: View;
  position?: string;
}

export type ClockSetting =
  | { kind: 'game'; seconds: number; increment: number }
  | { kind: 'correspondence'; days: number };

export type Clock = ClockSetting & {
  remaining_ms?: number[];
  running?: Seat | null;
  deadline?: string | null;
  now?: string;
};

export interface Offer {
  kind: 'takeback' | 'draw' | 'end';
  seat: Seat;
  accepted: Seat[];
}

export type Rules = Record<string, string | number | boolean | null>;

export interface Reach {
  target: Cell;
  actions: string[];
  points: number;
}

export interface Snapshot {
  id: string;
  game: GameName;
  rules: Rules;
  board: BoardView | null;
  seats: SeatView[];
  you: Seat[];
  status: 'waiting' | 'playing' | 'over' | 'aborted';
  visibility: 'private' | 'listed';
  clock: Clock | null;
  seq: number;
  turn: number;
  position: string;
  start?: string;
  view: View;
  legal: Action[];
  reach?: Record<Cell, Reach[]>;
  turns: Turn[];
  offers: Offer[];
  outcome: Outcome | null;
  rematch: string | null;
  created: string;
  updated: string;
  board_name?: string;
}

export type Summary = Omit<Snapshot, 'turns' | 'legal'>;

export interface TryResult {
  seq?: number;
  legal: Action[];
  reach?: Record<Cell, Reach[]>;
  effects: GameEvent[][];
  view: View;
  position: string;
  turn_complete: boolean;
  start?: string;
  rules?: Rules;
  board?: BoardView | null;
  turns?: Turn[];
}

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
  colours?: Record<string, string[]>;
  boards?: { name: string; note?: string; cells: number; landscapes: number | string[] }[];
}

export interface Meta {
  games: Record<GameName, GameMeta>;
  levels: number[];
  limits: Record<string, unknown>;
  version: string;
}

export interface SeatChoice {
  kind: 'device' | 'computer' | 'link' | 'open';
  name?: string;
  level?: number;
}

/** A board that is not built in, as it is sent. */
export interface CustomBoard {
  name: string;
  map: string;
  landscapes: Record<string, string>;
}

export interface NewGame {
  game: GameName;
  rules: Rules;
  board?: string | CustomBoard;
  seats: SeatChoice[];
  clock: ClockSetting | null;
  on_timeout?: 'resign' | 'computer';
  starter: 'first' | 'lot';
  visibility: 'private' | 'listed';
}

export interface AnalysisLine {
  turn: string[];
  shares: number[];
}

export interface Analysis {
  shares: number[];
  scores?: number[] | null;
  lines: AnalysisLine[];
  done: boolean;
}

export interface ReviewTurn {
  number: number;
  shares: number[];
  loss: number;
  label: string;
  reason: Record<string, unknown> | null;
  best: string[];
  best_shares?: number[];
}

export interface Review {
  status: 'running' | 'done';
  turns: ReviewTurn[];
}

export interface ReadRecord {
  record: Record<string, unknown>;
  game: GameName;
  rules: Rules;
  board: BoardView | null;
  seats: string[];
  start: string;
  start_view: View;
  turns: Turn[];
  outcome: Outcome | null;
}

export interface Me {
  name: string | null;
  is_guest: boolean;
  games?: number;
  scopes?: string[];
}
