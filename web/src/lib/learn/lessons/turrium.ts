import type { Step } from '../types';

export const lesson: Step[] = [];
