/** The page's tree agrees with Python's: both read the same changes (`tests/play/tree_cases.py` writes them). */
import { describe, expect, it } from 'vitest';
import { ROOT, TurnTree, type Change, type NodeId, type Said } from '../src/lib/game/tree';
import cases from './treeCases.json';

interface Fields extends Partial<Omit<Said, 'isHidden'>> {
  is_hidden?: boolean;
}

/** A change in the form that the tree reads: only one name differs. */
function read(change: (typeof cases)[number]['changes'][number]): Change {
  const { is_hidden, ...set } = change.set as Fields;
  const fields = is_hidden === undefined ? set : { ...set, isHidden: is_hidden };
  return {
    id: change.id,
    time: change.time,
    by: change.by,
    set: fields,
    ...(change.made ? { made: change.made } : {}),
  };
}

/** The visible nodes, in reading order. */
const shown = (tree: TurnTree, id: NodeId = ROOT): NodeId[] => [
  id,
  ...tree.children(id).flatMap((kid) => shown(tree, kid)),
];

describe('changes of several editors', () => {
  cases.forEach(({ changes, nodes }, number) => {
    it(`give the same tree as in Python, case ${number}`, () => {
      const tree = new TurnTree('me');
      tree.apply(changes.map(read));
      expect(shown(tree)).toEqual(nodes.filter((node) => node.is_shown || !node.id).map((node) => node.id));
      for (const { id, parent, actions, comment, glyphs, marks, rank, is_hidden } of nodes)
        expect(tree.node(id)).toMatchObject({ id, parent, actions, comment, glyphs, marks, rank, isHidden: is_hidden });
    });
  });
});
