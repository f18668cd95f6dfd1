/** A bar of a plot: how many games, and how many of them were won. */
export interface Row {
  key: string;
  label: string;
  games: number;
  wins: number;
  /** A narrow label for a bar that stands upright, and what is written below it. */
  tick?: string;
  under?: string;
}
