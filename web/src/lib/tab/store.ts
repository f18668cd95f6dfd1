/** Games or studies in IndexedDB: a row and a log for each. If that fails, they are kept in memory until the tab is closed. */

interface Row {
  id: string;
}
interface Event {
  seq: number;
}
interface Change {
  row: Row;
  events: Event[];
}

const VERSION = 1;

function opened(name: string): Promise<IDBDatabase> {
  return new Promise((done, failed) => {
    const request = indexedDB.open(name, VERSION);
    request.onupgradeneeded = () => {
      const database = request.result;
      database.createObjectStore('games', { keyPath: 'id' });
      database.createObjectStore('events');
      database.createObjectStore('reviews');
    };
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error('closed'));
    request.onblocked = () => failed(new Error('blocked'));
  });
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error('failed'));
  });
}

function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done();
    // Every error aborts the transaction, and `transaction.error` is set only then.
    transaction.onabort = () => failed(transaction.error ?? new Error('aborted'));
  });
}

/** The key range of all events of a game. */
const log = (id: string) => IDBKeyRange.bound([id], [id, []]);

export class GameStore {
  private database: IDBDatabase | null = null;
  /** Data that could not be written to the database. */
  private readonly rowsInMemory = new Map<string, Row>();
  private readonly eventsInMemory = new Map<string, Event[]>();
  private readonly reviewsInMemory = new Map<string, string>();

  /** `name` is the name of the database. `onstate` is called with whether data is kept. */
  constructor(
    private readonly name: string,
    private readonly onstate: (isKept: boolean) => void,
  ) {}

  async open(): Promise<void> {
    try {
      this.database = await opened(this.name);
      // Let another tab with a newer version of the page change the layout of the database.
      this.database.onversionchange = () => this.database?.close();
      this.onstate(true);
    } catch {
      this.onstate(false);
    }
  }

  /** All rows, as JSON. */
  async rows(): Promise<string> {
    const kept = this.database
      ? await result<Row[]>(this.database.transaction('games').objectStore('games').getAll())
      : [];
    const all = new Map([...kept.map((row) => [row.id, row] as const), ...this.rowsInMemory]);
    return JSON.stringify([...all.values()]);
  }

  /** The log of a game, as JSON. */
  async log(id: string): Promise<string> {
    const kept = this.database
      ? await result<Event[]>(this.database.transaction('events').objectStore('events').getAll(log(id)))
      : [];
    return JSON.stringify([...kept, ...(this.eventsInMemory.get(id) ?? [])]);
  }

  /** Stores all changes or none. `add` fails if another tab wrote the same event. */
  async write(text: string): Promise<void> {
    const changes = JSON.parse(text) as Change[];
    const isSplit = changes.some(({ row }) => this.rowsInMemory.has(row.id));
    if (this.database && !isSplit) {
      try {
        await this.keep(this.database, changes);
        this.onstate(true);
        return;
      } catch (error) {
        if (error instanceof DOMException && error.name === 'ConstraintError') throw error;
      }
    }
    for (const { row, events } of changes) {
      this.rowsInMemory.set(row.id, row);
      this.eventsInMemory.set(row.id, [...(this.eventsInMemory.get(row.id) ?? []), ...events]);
    }
    this.onstate(false);
  }

  private async keep(database: IDBDatabase, changes: Change[]): Promise<void> {
    const transaction = database.transaction(['games', 'events'], 'readwrite', { durability: 'strict' });
    const done = finished(transaction);
    for (const { row, events } of changes) {
      transaction.objectStore('games').put(row);
      for (const event of events) transaction.objectStore('events').add(event, [row.id, event.seq]);
    }
    await done;
  }

  /** Deletes a row and its log. */
  async remove(id: string): Promise<void> {
    this.rowsInMemory.delete(id);
    this.eventsInMemory.delete(id);
    if (!this.database) return;
    const transaction = this.database.transaction(['games', 'events'], 'readwrite');
    const done = finished(transaction);
    transaction.objectStore('games').delete(id);
    transaction.objectStore('events').delete(log(id));
    await done;
  }

  /** The review of a game, as JSON; empty if there is none. */
  async review(id: string): Promise<string> {
    const inMemory = this.reviewsInMemory.get(id);
    if (inMemory !== undefined || !this.database) return inMemory ?? '';
    const kept = this.database.transaction('reviews').objectStore('reviews').get(id) as IDBRequest<string | undefined>;
    return (await result(kept)) ?? '';
  }

  /** Stores a review. If that fails, it stays in memory: a review can be made again. */
  async keep_review(id: string, text: string): Promise<void> {
    this.reviewsInMemory.set(id, text);
    try {
      if (!this.database) return;
      const transaction = this.database.transaction('reviews', 'readwrite');
      transaction.objectStore('reviews').put(text, id);
      await finished(transaction);
    } catch {
      // The review is in memory.
    }
  }
}
