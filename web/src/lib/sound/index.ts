/** Short synthesised sounds, so that no sound files are loaded. */

import { settings } from '../settings.svelte';

let context: AudioContext | undefined;

/** Opens the audio device. This is slow: `prepare` does it when the page is idle after the first input. */
function open(): AudioContext {
  return (context ??= new AudioContext());
}

function prepare(): void {
  if (!settings.sound) return;
  const idle = window.requestIdleCallback ?? ((job: () => void) => setTimeout(job, 200));
  idle(() => {
    try {
      open();
    } catch {
      // A browser without sound plays silently.
    }
  });
}
for (const touch of ['pointerup', 'keyup']) addEventListener(touch, prepare, { once: true, passive: true });

interface Note {
  pitch: number;
  at: number;
  long: number;
  loud?: number;
  wave?: OscillatorType;
}

const SOUNDS = {
  move: [{ pitch: 330, at: 0, long: 0.07, wave: 'triangle' }],
  stone: [
    { pitch: 150, at: 0, long: 0.09, wave: 'square', loud: 0.5 },
    { pitch: 95, at: 0.02, long: 0.12, wave: 'triangle' },
  ],
  take: [{ pitch: 260, at: 0, long: 0.06, wave: 'square', loud: 0.4 }],
  score: [
    { pitch: 523, at: 0, long: 0.12 },
    { pitch: 659, at: 0.09, long: 0.12 },
    { pitch: 784, at: 0.18, long: 0.24 },
  ],
  capture: [
    { pitch: 220, at: 0, long: 0.1, wave: 'sawtooth', loud: 0.5 },
    { pitch: 165, at: 0.08, long: 0.16, wave: 'sawtooth', loud: 0.5 },
  ],
  turn: [
    { pitch: 587, at: 0, long: 0.14 },
    { pitch: 880, at: 0.12, long: 0.26 },
  ],
  refused: [{ pitch: 140, at: 0, long: 0.14, wave: 'sawtooth', loud: 0.4 }],
  end: [
    { pitch: 392, at: 0, long: 0.3 },
    { pitch: 523, at: 0.16, long: 0.3 },
    { pitch: 659, at: 0.32, long: 0.5 },
  ],
} satisfies Record<string, Note[]>;

export type Sound = keyof typeof SOUNDS;

/** Plays a sound, if sounds are on, after the next frame is drawn. */
export function sound(name: Sound): void {
  if (!settings.sound || !settings.volume || !navigator.userActivation?.hasBeenActive) return;
  setTimeout(() => {
    try {
      const audio = open();
      void audio.resume();
      for (const note of SOUNDS[name] as Note[]) play(audio, note);
    } catch {
      // A browser without sound plays silently.
    }
  });
}

function play(audio: AudioContext, note: Note): void {
  const start = audio.currentTime + note.at;
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.type = note.wave ?? 'sine';
  tone.frequency.setValueAtTime(note.pitch, start);
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(0.16 * settings.volume * (note.loud ?? 1), start + 0.008);
  gain.gain.exponentialRampToValueAtTime(0.0001, start + note.long);
  tone.connect(gain).connect(audio.destination);
  tone.start(start);
  tone.stop(start + note.long + 0.02);
}
