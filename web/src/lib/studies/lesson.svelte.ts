/** A chapter as a lesson: the main line is the solution, the other seats answer, variations are answers to wrong tries. */

import { Builder } from '../game/builder.svelte';
import { ROOT, type NodeId } from '../game/tree';
import type { TreeBoard } from '../game/treeBoard.svelte';
import { api } from '../net/client';
import { sound } from '../sound';

/** `playing`: the reader is to move. `watching`: turns are played out. `done` and `shown`: the line has ended. */
export type Mood = 'playing' | 'watching' | 'wrong' | 'done' | 'shown';

/** Milliseconds between turns that are played out. */
const PACE = 800;

export class ChapterLesson {
  mood = $state<Mood>('playing');
  /** What the author says about the last try; empty if there is nothing. */
  said = $state('');
  /** Whether the last try was right. */
  isRight = $state(false);
  isHinted = $state(false);
  readonly builder = new Builder((actions) => api.tryPosition(this.board.place?.position, actions));
  /** The node where the reader is to move. */
  private from: NodeId = ROOT;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly board: TreeBoard,
    private readonly onanswer: () => void,
  ) {
    board.onlook = this.begin;
    this.again();
  }

  readonly seat = $derived.by(() => this.board.placeOf(ROOT)?.view.to_move ?? 0);
  readonly isOver = $derived(this.mood === 'done' || this.mood === 'shown');

  close(): void {
    clearTimeout(this.timer);
    if (this.board.onlook === this.begin) this.board.onlook = undefined;
  }

  /** From the beginning. */
  restart(): void {
    this.from = ROOT;
    this.said = '';
    this.again();
  }

  /** Back to where the last try was made. */
  again(): void {
    clearTimeout(this.timer);
    if (!this.board.tree.now.has(this.from)) this.from = ROOT;
    this.mood = 'playing';
    this.board.look(this.from);
  }

  hint(): void {
    this.isHinted = true;
  }

  /** Compares a finished turn with the solution: orders of actions that lead to the same position are the same. */
  async check(): Promise<void> {
    const { builder, board } = this;
    if (this.mood !== 'playing') return;
    if (!builder.isComplete && builder.canEnd) await builder.act(['end']);
    const { last } = builder;
    if (!builder.isComplete || !last) return;
    const tree = board.tree.now;
    const tries = tree.children(this.from);
    const played = tries.find((id) => board.placeOf(id)?.position === last.position);
    this.isRight = played !== undefined && played === tries[0];
    this.said = '';
    if (played === undefined) {
      this.mood = 'wrong';
      this.onanswer();
    } else if (this.isRight) {
      sound('score');
      this.reply(played);
    } else this.playOut(tree.line(played), 'wrong');
  }

  /** Plays the rest of the solution. */
  show(): void {
    const tree = this.board.tree.now;
    const [next] = tree.children(this.from);
    this.isRight = false;
    this.said = '';
    this.playOut(next === undefined ? [] : tree.line(next), 'shown');
  }

  /** After a right turn, plays the replies of the other seats until the reader is to move, or the line ends. */
  private reply(played: NodeId): void {
    const { board } = this;
    const line = board.tree.now.line(played);
    const next = line.findIndex((id) => board.placeOf(id)?.view.to_move === this.seat);
    const isEnd = next < 0 || next === line.length - 1;
    this.from = (isEnd ? line.at(-1) : line[next]) ?? played;
    this.playOut(isEnd ? line : line.slice(0, next + 1), isEnd ? 'done' : 'playing');
  }

  /** Shows turns one after the other, with what the author says about them. */
  private playOut([first, ...rest]: readonly NodeId[], then: Mood): void {
    clearTimeout(this.timer);
    this.mood = rest.length ? 'watching' : then;
    if (first !== undefined) {
      this.said = [this.said, this.board.tree.now.node(first).comment].filter(Boolean).join('\n');
      this.board.look(first);
    }
    if (rest.length) this.timer = setTimeout(() => this.playOut(rest, then), PACE);
    else this.onanswer();
  }

  private readonly begin = (): void => {
    const { place, facts } = this.board;
    if (!place) return;
    const { view } = place;
    const canPlay = facts && this.mood === 'playing';
    this.builder.begin(
      canPlay ? { view, legal: facts.legal, reach: facts.reach, previews: facts.previews } : { view, legal: [] },
    );
  };
}
