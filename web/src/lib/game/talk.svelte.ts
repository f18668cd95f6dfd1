/** The messages at one table that this browser may read. */

import { has, t } from '../i18n/index.svelte';
import { Refused } from '../net/client';
import { social, type Said, type TalkView } from '../net/social';

/** The phrases, from the beginning to the end of a game. */
export const PHRASES = [
  'hello',
  'good-luck',
  'nice-turn',
  'well-played',
  'thanks',
  'you-are-welcome',
  'sorry',
  'oops',
  'thinking',
  'your-turn',
  'back-soon',
  'back',
  'good-game',
  'again',
  'goodbye',
] as const;

/** A message in the reader's language. */
export const wordsOf = (said: Said): string =>
  said.phrase === null
    ? (said.text ?? '')
    : has(`talk.phrase.${said.phrase}`)
      ? t(`talk.phrase.${said.phrase}`)
      : said.phrase;

export class Talk {
  said = $state.raw<Said[]>([]);
  allowsText = $state(false);
  textsWith = $state.raw<number[]>([]);
  muted = $state.raw<number[]>([]);
  problem = $state.raw<Refused | null>(null);
  private asked = 0;

  constructor(private readonly id: string) {}

  async load(): Promise<void> {
    const ask = ++this.asked;
    try {
      const view = await social.talk(this.id);
      if (ask === this.asked) this.take(view);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  private take(view: TalkView): void {
    this.said = view.said;
    this.allowsText = view.allows_text;
    this.textsWith = view.texts_with;
    this.muted = view.muted;
  }

  private async attempt(job: () => Promise<unknown>): Promise<boolean> {
    this.problem = null;
    try {
      await job();
      await this.load();
      return true;
    } catch (error) {
      this.problem = error instanceof Refused ? error : new Refused('unknown', String(error), 0);
      return false;
    }
  }

  say = (seat: number, what: { phrase: string } | { text: string }) =>
    this.attempt(() => social.say(this.id, seat, what));
  allow = (isAllowed: boolean) => this.attempt(() => social.allowText(isAllowed));
  mute = (seat: number, isMuted: boolean) => this.attempt(() => social.mute(this.id, seat, isMuted));
}
