/** The texts of the first screens, fetched as one file. */
export { default as board } from './board.json';
export { default as characters } from './characters.json';
export { default as common } from './common.json';
export { default as home } from './home.json';
export { default as plans } from './plans.json';
export { default as story } from './story.json';
export { default as table } from './table.json';
export { default as talk } from './talk.json';
