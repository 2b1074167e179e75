import type { RunChange, RunRow } from '@svc/core'
import { fromKey, SHARED, textOf, toKey } from '../keys.ts'
import { type Watcher, WatcherList } from '../watcher-list.ts'
import { bytesOf, type Sqlite } from './file/sqlite.ts'

const POLL_MS = 50
/** A new run is left so long to the process that made it. */
const YIELD_MS = 150
/** A run whose process is gone is announced again after so long, in case nobody could take it. */
const REMIND_MS = 2_000

export interface WatchersOptions {
  db: Sqlite
  /** Processes that are gone. */
  dead(): readonly number[]
  /** Only runs that were made here may be worked on here. */
  space: string
  /** Called for processes that are gone and hold nothing more. */
  onEmpty(processes: readonly number[]): void
}

/**
 * Who wants to hear of changes: of this process's own at once; of those of others, and of runs whose process is gone, by
 * polling while anybody watches. One poll that finds nothing costs some ten microseconds.
 */
export class Watchers {
  readonly #settings: WatchersOptions
  readonly #watchers = new WatcherList()
  /** How many changes each run that is watched has seen. */
  readonly #seen = new Map<string, number>()
  readonly #reminded = new Map<number, number>()
  /** New runs of other processes, and when they are announced to those who watch all. */
  readonly #fresh = new Map<string, number>()
  #turn = 0
  #timer: NodeJS.Timeout | undefined

  constructor(settings: WatchersOptions) {
    this.#settings = settings
  }

  watch(runId: string, watcher: Watcher): () => void {
    if (this.#timer === undefined) this.#begin()
    if (!this.#watchers.has(runId)) this.#seen.set(runId, this.#changesOf(runId))
    const stop = this.#watchers.add(runId, watcher, () => {
      this.#seen.delete(runId)
      if (this.#watchers.size === 0) this.close()
      else if (!this.#watchers.keepsAlive) this.#timer?.unref()
    })
    if (this.#watchers.keepsAlive) this.#timer?.ref()
    return stop
  }

  tell(runId: string, change: RunChange, names?: readonly string[], status?: RunRow['status']): void {
    this.#watchers.tell(runId, change, names, status)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #begin(): void {
    const { db } = this.#settings
    db.hasChanged()
    this.#turn = Number(db.get('SELECT turn FROM run_turn')?.turn ?? 0)
    this.#timer = setInterval(() => {
      try {
        this.#poll()
      } catch {
        // A file that cannot be read now is read at the next poll; who works with it hears of it.
      }
    }, POLL_MS)
    this.#timer.unref()
  }

  #poll(): void {
    const { db } = this.#settings
    if (db.hasChanged()) {
      const changed = db.all(`SELECT ${bytesOf('id')}, turn, epoch FROM runs WHERE turn > ? ORDER BY turn`, [
        this.#turn,
      ])
      const told = new Set<string>()
      for (const { id, turn, epoch } of changed) {
        this.#turn = Number(turn)
        const runId = fromKey(id)
        told.add(runId)
        this.#fresh.delete(runId)
        if (epoch === 0) this.#fresh.set(runId, performance.now() + YIELD_MS)
      }
      for (const runId of told) this.tell(runId, 'any', this.#fresh.has(runId) ? [runId] : [runId, '*'])
      for (const [runId, seen] of [...this.#seen]) {
        const changes = runId === '*' ? seen : this.#changesOf(runId)
        if (changes === seen) continue
        this.#seen.set(runId, changes)
        if (!told.has(runId)) this.tell(runId, changes === 0 ? 'status' : 'events')
      }
    }
    if (!this.#watchers.has('*')) return
    for (const [runId, due] of [...this.#fresh]) {
      if (due > performance.now()) continue
      this.#fresh.delete(runId)
      this.tell(runId, 'any', ['*'])
    }
    this.#lookForDead()
  }

  #lookForDead(): void {
    const { db, dead, space, onEmpty } = this.#settings
    const now = performance.now()
    const due = dead().filter((number) => (this.#reminded.get(number) ?? Number.NEGATIVE_INFINITY) + REMIND_MS < now)
    const empty: number[] = []
    for (const number of due) {
      this.#reminded.set(number, now)
      const left = db.all(
        `SELECT ${bytesOf('id')}, ${bytesOf('space')} FROM runs WHERE ended_at IS NULL AND process = ? AND owner IS NOT NULL ORDER BY seq`,
        [number],
      )
      if (left.length === 0) empty.push(number)
      for (const run of left) if (space === SHARED || textOf(run.space) === space) this.tell(fromKey(run.id), 'any')
    }
    if (empty.length > 0) onEmpty(empty)
  }

  #changesOf(runId: string): number {
    if (runId === '*') return 0
    const found = this.#settings.db.get('SELECT records + version AS changes FROM runs WHERE id = ?', [toKey(runId)])
    return Number(found?.changes ?? 0)
  }
}
