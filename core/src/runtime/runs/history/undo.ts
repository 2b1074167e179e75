import type { RunEvent } from '../../../contracts/log/event.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { Caller } from '../../../contracts/runtime/runtime.ts'
import { UndoInput, type UndoneFile, type UndoResult } from '../../../contracts/runtime/undo.ts'
import type { RunRow } from '../../../contracts/store/store.ts'
import type { Restoration } from '../../../contracts/tool/file-change.ts'
import type { WorkspaceFiles } from '../../../contracts/tool/workspace-files.ts'
import { ConflictError, RunError, ValidationError } from '../../../errors.ts'
import { digest, digestBytes } from '../../../support/ids.ts'
import { toPointer } from '../../../text/json-pointer.ts'
import { parse } from '../../../validate.ts'
import type { Environment } from '../../environment.ts'
import { audit } from '../../observe/audit.ts'
import type { RunService } from '../service/run-service.ts'
import { type Move, UndoPlan } from './undo-plan.ts'

const LOOKED_AT: RunEvent['type'][] = [
  'step.completed',
  'step.failed',
  'tool.requested',
  'tool.started',
  'tool.completed',
  'tool.failed',
  'tool.denied',
]
/** Of one difference, and of all of an answer. */
const DIFF_CHARS = 20_000
const ALL_DIFF_CHARS = 400_000

/** Undoes what runs did to files. */
export class Undo {
  readonly #current: () => Environment
  readonly #runs: RunService
  /** One after the other: each looks at what the one before left. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(current: () => Environment, runs: RunService) {
    this.#current = current
    this.#runs = runs
  }

  /** See `RunHistory.undo`. */
  undo(id: string, caller: Caller, input: UndoInput = {}): Promise<UndoResult> {
    const work = this.#last.then(() => this.#undo(id, caller, input))
    this.#last = work.catch(() => {})
    return work
  }

  async #undo(id: string, caller: Caller, input: UndoInput): Promise<UndoResult> {
    const { to, also = [], dryRun = false } = parse(UndoInput, input, 'undo')
    const env = this.#current()
    const { store, tools } = env
    const files = filesOf(env)
    const rows = await this.#rowsOf(id, also)
    const trails = await Promise.all(
      rows.map(async (row) => ({
        runId: row.id,
        steps: await store.steps(row.id),
        events: await store.events.list(row.id, { types: LOOKED_AT }),
      })),
    )
    const plan = new UndoPlan(trails, to, (tool) => tools.get(tool))
    const { paths } = plan
    const states = await files.look(paths)
    const { moves, left, conflicts } = plan.decide(new Map(paths.map((path, index) => [path, states[index]])))
    const runIds = rows.map((row) => row.id)
    const isDone = !dryRun && conflicts.length === 0 && moves.length > 0
    if (!dryRun && conflicts.length > 0) throw changed(id, conflicts)
    const restorations = await Promise.all(moves.map((move) => this.#withContent(move)))
    const shown = await this.#show(files, restorations)
    if (isDone) {
      audit(env, caller, 'run.undone', { run: id, to, also: also.length > 0 ? also : undefined, files: moves.length })
      const kept = await files.restore(restorations, digest(...runIds).slice(0, 16))
      left.push(...kept.map((path) => ({ path, why: 'this folder holds something else now' })))
    }
    return { runIds, done: isDone, files: shown, left, conflicts }
  }

  /** Oldest first, the one that was asked for first. */
  async #rowsOf(id: string, also: readonly string[]): Promise<RunRow[]> {
    const rows = await Promise.all([...new Set([id, ...also])].map((each) => this.#runs.row(each)))
    for (const { id: each, status, imported } of rows) {
      if (!isTerminal(status))
        throw new ConflictError(
          'run_not_finished',
          `run ${each} is ${status}: what it does is undone once it has ended`,
        )
      if (imported === true)
        throw new ConflictError('invalid_transition', `run ${each} came in a file: it changed nothing here`)
    }
    const [first, ...later] = rows
    const early = later.find(({ createdAt }) => first !== undefined && createdAt < first.createdAt)
    if (early !== undefined) {
      const message = `run ${early.id} was made before run ${id}: name the oldest first`
      throw new ValidationError('validation_failed', `undo: /also: ${message}`, {
        errors: [{ path: '/also', message }],
      })
    }
    return first === undefined ? [] : [first, ...later.sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))]
  }

  async #withContent({ path, now, to }: Move): Promise<Restoration> {
    if (to?.sha256 === undefined) return { path, now, to }
    const content = await this.#current().store.payloads.get(to.sha256)
    if (content !== undefined && digestBytes(content) === to.sha256) return { path, now, to: { ...to, content } }
    throw new RunError('log_corrupt', `what ${JSON.stringify(path)} held is not in the store as it was kept`)
  }

  async #show(files: WorkspaceFiles, restorations: readonly Restoration[]): Promise<UndoneFile[]> {
    const { redact } = this.#current()
    const shown: UndoneFile[] = []
    let charsLeft = ALL_DIFF_CHARS
    for (const restoration of restorations) {
      const { path, now, to } = restoration
      const whole = charsLeft > 0 ? await files.compare(restoration) : undefined
      const diff = whole === undefined ? undefined : cut(redact(whole))
      charsLeft -= diff?.length ?? 0
      const kind = (to ?? now)?.kind ?? 'file'
      shown.push({ path, action: to === undefined ? 'remove' : 'write', kind, ...(diff && { diff }) })
    }
    return shown
  }
}

const cut = (diff: string): string =>
  diff.length <= DIFF_CHARS ? diff : `${diff.slice(0, DIFF_CHARS)}\n… the rest of the diff is left out`

function filesOf({ files }: Environment): WorkspaceFiles {
  if (files !== undefined) return files
  throw new ValidationError('validation_failed', 'undo: this runtime has no workspace')
}

function changed(id: string, conflicts: UndoResult['conflicts']): ConflictError {
  const named = conflicts.slice(0, 5).map(({ path, why }) => `${JSON.stringify(path)}: ${why}`)
  const more = conflicts.length > 5 ? `, and ${conflicts.length - 5} more` : ''
  return new ConflictError('files_changed', `run ${id} is not undone: ${named.join('; ')}${more}`, {
    errors: conflicts.map(({ path, why }) => ({ path: toPointer('/files', path), message: why })),
  })
}
