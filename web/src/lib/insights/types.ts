/** A bar of a plot: the number of games, and of games won. */
export interface Row {
  key: string;
  label: string;
  games: number;
  wins: number;
  /** For a vertical bar: a narrow label, and the text below that label. */
  tick?: string;
  under?: string;
}
