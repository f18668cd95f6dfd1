/** The steps of a tree that can be undone and redone. */

import type { NodeId, Said } from './tree';

export interface Edit {
  id: NodeId;
  before: Partial<Said>;
  after: Partial<Said>;
}
interface Step {
  edits: Edit[];
  /** Edits of the same kind right after each other are undone together. */
  kind: string;
}

const MOST_STEPS = 200;

export class UndoSteps {
  private done: Step[] = [];
  private undone: Step[] = [];

  get canUndo(): boolean {
    return this.done.length > 0;
  }
  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** Records edits that are made now, as one step. A comment is one step while it is being written. */
  record(kind: string, edits: Edit[]): void {
    const last = this.done.at(-1);
    const [only] = edits;
    if (kind.startsWith('comment') && last?.kind === kind && only && !this.undone.length)
      last.edits = last.edits.map((edit) => ({ ...edit, after: only.after }));
    else this.done = [...this.done.slice(1 - MOST_STEPS), { edits, kind }];
    this.undone = [];
  }

  /** The edits of the last step, which is undone now; null if there is none. */
  undo(): Edit[] | null {
    const step = this.done.pop();
    if (!step) return null;
    this.undone.push(step);
    return step.edits;
  }

  /** The edits of the step that was undone last and is made again now; null if there is none. */
  redo(): Edit[] | null {
    const step = this.undone.pop();
    if (!step) return null;
    this.done.push(step);
    return step.edits;
  }

  /** Keeps undo and redo from hiding these nodes: another editor has worked there since. */
  protect(nodes: ReadonlySet<NodeId>): void {
    const shown =
      (side: 'before' | 'after') =>
      (edit: Edit): Edit =>
        nodes.has(edit.id) && edit[side].isHidden ? without(edit, 'isHidden') : edit;
    this.done = changed(this.done, shown('before'));
    this.undone = changed(this.undone, shown('after'));
  }

  /** Removes a field of a node from all steps, because undoing must not overwrite a later change by another editor. */
  forget(id: NodeId, field: keyof Said): void {
    const kept = (edit: Edit): Edit => (edit.id === id ? without(edit, field) : edit);
    this.done = changed(this.done, kept);
    this.undone = changed(this.undone, kept);
  }
}

function without({ id, before, after }: Edit, field: keyof Said): Edit {
  const rest = ({ [field]: _, ...others }: Partial<Said>): Partial<Said> => others;
  return { id, before: rest(before), after: rest(after) };
}

/** The steps with each edit changed; edits and steps that become empty are left out. */
function changed(steps: Step[], change: (edit: Edit) => Edit): Step[] {
  return steps
    .map(({ kind, edits }) => ({
      kind,
      edits: edits.map(change).filter(({ after }) => Object.keys(after).length > 0),
    }))
    .filter(({ edits }) => edits.length > 0);
}
