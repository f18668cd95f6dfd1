/** A bar of a plot: how many games, and how many of them were won. */
export interface Row {
  key: string;
  label: string;
  games: number;
  wins: number;
}
