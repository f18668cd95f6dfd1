/** Effects of an open table. A component calls each function while it is created. */

import { untrack } from 'svelte';
import { gameTitle } from '../../games/index.svelte';
import { afterPaint } from '../afterPaint';
import { speak, t } from '../i18n/index.svelte';
import { change, settings } from '../settings.svelte';
import type { TableState } from './tableState.svelte';
import { alertTurn } from './turnAlert';

/** Loads talk and plans if other people play. */
export function loadTalkAndPlans(table: TableState): void {
  const { session, talk, planner } = table;
  $effect(() => {
    if (table.hasPeople) untrack(() => void talk.load());
  });
  $effect(() => {
    if (planner.seat !== null && table.hasPeople) untrack(() => void planner.load());
  });
  // After a turn, the plan being made no longer fits the position.
  $effect(() => {
    void session.snapshot?.turns.length;
    untrack(() => planner.stop());
  });
}

/** Sends a complete turn without *Finish turn*, if the settings say so: every turn, or those of one action. */
export function sendShortTurns({ session, coach }: TableState): void {
  const { builder } = session;
  // The turn has changed: ignore the coach's answer about the old one.
  $effect(() => {
    void builder.actions;
    untrack(() => coach.forget());
  });
  $effect(() => {
    if (coach.isOn) void speak('coach', 'reason');
  });
  $effect(() => {
    // A turn that ends the game always needs *Finish turn*.
    if (!builder.isComplete || builder.ending || !session.mine || session.sending) return;
    const isSent = settings.confirm === 'never' || (settings.confirm === 'long' && builder.actions.length === 1);
    if (isSent) untrack(() => void coach.finish());
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
      // Announce the turns after the board is painted.
      const { game, seats, you } = session.snapshot ?? {};
      if (game && seats && you) void afterPaint().then(() => effects.show(game, turns, seats, you));
    });
  });
}

/** Signals that it is the reader's turn: in the title and, in games with others, by sound and notification. */
export function signalTurn(table: TableState): void {
  const { session } = table;
  $effect(() => {
    const { snapshot } = session;
    const game = snapshot ? gameTitle(snapshot.game) : 'Terrarium';
    const title = table.isYourTurn ? `● ${t('table.yourTurn')} · ${game}` : `${game} · Terrarium`;
    let isCurrent = true;
    void afterPaint().then(() => {
      if (isCurrent) document.title = title;
    });
    return () => (isCurrent = false);
  });
  let wasYours = false;
  let alertedAt = -1;
  $effect(() => {
    const yours = table.isYourTurn;
    untrack(() => {
      const { snapshot } = session;
      // Do not alert again when turns are shown again: `seq` is then the same.
      const isNew = yours && !wasYours && snapshot?.seq !== alertedAt;
      if (isNew && snapshot && snapshot.turns.length > 0 && snapshot.you.length < snapshot.seats.length)
        void afterPaint().then(() => alertTurn(session.id, snapshot.game));
      if (isNew) alertedAt = snapshot?.seq ?? -1;
      wasYours = yours;
    });
  });
}

/** Opens the end screen when a game ends while it is watched. For a game opened later, the reader opens it. */
export function showEnding(table: TableState): void {
  const { session } = table;
  let wasPlaying = false;
  $effect(() => {
    const isPlaying = session.snapshot?.status === 'playing' || table.isShowing;
    const hasEnded = table.isOver && session.snapshot?.status === 'over';
    untrack(() => {
      if (hasEnded && wasPlaying) {
        table.isEndingShown = true;
        // The first game is over: the next one shows no tips.
        if (table.isLearning) change('taught', [...settings.taught, session.snapshot?.game ?? '']);
      }
      wasPlaying = isPlaying;
    });
  });
}
