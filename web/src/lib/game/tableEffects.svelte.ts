/** Effects of an open table. A component calls each function while it is made. */

import { untrack } from 'svelte';
import { gameTitle } from '../../games/index.svelte';
import { afterPaint } from '../afterPaint';
import { speak, t } from '../i18n/index.svelte';
import { change, settings } from '../settings.svelte';
import type { TableState } from './tableState.svelte';
import { alertTurn } from './turnAlert';

/** Loads talk and plans where other people play. */
export function loadTalkAndPlans(table: TableState): void {
  const { session, talk, planner } = table;
  $effect(() => {
    if (table.hasPeople) untrack(() => void talk.load());
  });
  $effect(() => {
    if (planner.seat !== null && table.hasPeople) untrack(() => void planner.load());
  });
  // What was being planned is for a position that has passed.
  $effect(() => {
    void session.snapshot?.turns.length;
    untrack(() => planner.stop());
  });
}

/** Sends a turn of one action, unless the player wants to be asked; longer turns wait for *Finish turn*. */
export function sendShortTurns({ session, coach }: TableState): void {
  const { builder } = session;
  // What the coach was asked about is no longer what would be sent.
  $effect(() => {
    void builder.actions;
    untrack(() => coach.forget());
  });
  $effect(() => {
    if (coach.isOn) void speak('coach', 'reason');
  });
  $effect(() => {
    // One that ends the game always waits.
    if (!builder.isComplete || builder.ending || !session.mine || session.sending) return;
    const goes = settings.confirm === 'never' || (settings.confirm === 'long' && builder.actions.length === 1);
    if (goes) untrack(() => void coach.finish());
  });
}

/** Announces what just happened. */
export function presentTurns({ session, requests, effects }: TableState): void {
  $effect(() => {
    const { turns, id: number } = session.happened;
    if (!number) return;
    untrack(() => {
      requests.best = [];
      requests.clear();
      // Announce after the frame is painted.
      const { game, seats, you } = session.snapshot ?? {};
      if (game && seats && you) void afterPaint().then(() => effects.show(game, turns, seats, you));
    });
  });
}

/** Signals that it is the reader's turn: in the title and, in games with others, by sound and notification. */
export function callPlayer(table: TableState): void {
  const { session } = table;
  $effect(() => {
    const { snapshot } = session;
    const game = snapshot ? gameTitle(snapshot.game) : 'Terrarium';
    document.title = table.isYourTurn ? `● ${t('table.yourTurn')} · ${game}` : `${game} · Terrarium`;
  });
  let wasYours = false;
  let calledAt = -1;
  $effect(() => {
    const yours = table.isYourTurn;
    untrack(() => {
      const { snapshot } = session;
      // Turns that are shown again change nothing.
      const isNew = yours && !wasYours && snapshot?.seq !== calledAt;
      if (isNew && snapshot && snapshot.turns.length > 0 && snapshot.you.length < snapshot.seats.length)
        void afterPaint().then(() => alertTurn(session.id, snapshot.game));
      if (isNew) calledAt = snapshot?.seq ?? -1;
      wasYours = yours;
    });
  });
}

/** Shows how a game ends that is watched to its end; one that is opened later shows it on demand. */
export function showEnding(table: TableState): void {
  const { session } = table;
  let wasPlaying = false;
  $effect(() => {
    const isPlaying = session.snapshot?.status === 'playing' || table.isShowing;
    const hasEnded = table.isOver && session.snapshot?.status === 'over';
    untrack(() => {
      if (hasEnded && wasPlaying) {
        table.isEndingShown = true;
        // The first game is over: the next one explains nothing.
        if (table.isLearning) change('taught', [...settings.taught, session.snapshot?.game ?? '']);
      }
      wasPlaying = isPlaying;
    });
  });
}
