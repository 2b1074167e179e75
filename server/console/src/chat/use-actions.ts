import { useSignal } from '@preact/signals'
import { toSummaryRequest } from '@svc/core/client'
import type { RunCreate, ThreadMessage, UndoResult } from '@svc/sdk/remote'
import { useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { costOfRuns, formatCount } from '../parts/format.ts'
import { EMPTY_DRAFT, findProblems, type Problems, toProblems, toRunCreate } from '../runs/new-run/draft.ts'
import { RequestKeys } from '../session/request-keys.ts'
import { mayDo, runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import { type Again, findChanges, putBack, sendAgain } from './again/send-again.ts'
import { findExcess, readAttachment, toContext } from './composer/attachments.ts'
import { COMMANDS, type CommandName, readCommand } from './composer/commands.ts'
import { changeDraft, changeOptions, DEFAULTS, draftOf, EMPTY, options } from './composer/draft-state.ts'
import type { TurnActions } from './talk/turn.tsx'
import type { Talk } from './talk/use-messages.ts'
import { toTitle } from './threads/title.ts'

/** Files that may be put back, and what is done then. */
export interface PutBack {
  found: UndoResult
  again: Again
  /** Whether the message is sent again then. */
  sends: boolean
}

/** What can be done in a conversation. */
export function useActions(id: string, talk: Talk, bodyBytes: number | undefined, onAnnounce: (text: string) => void) {
  const { route } = useLocation()
  const isSending = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const problems = useSignal<Problems>({})
  const note = useSignal('')
  const asked = useSignal<PutBack | undefined>(undefined)
  /** A conversation that was begun for a message that was refused then. */
  const begun = useRef<string>(undefined)
  const keys = useMemo(() => new RequestKeys(), [])
  const { turns } = talk

  const refuse = (thrown: unknown): void => {
    const { other, task, files, ...found } = toProblems(toError(thrown), { ...EMPTY_DRAFT, ...options.peek() })
    problems.value = found
    problem.value = other ?? task ?? files ?? Object.values(found)[0]
  }
  /** Does one thing at a time; what it throws is shown at the composer. */
  const once = async (work: () => Promise<void>): Promise<void> => {
    if (isSending.peek()) return
    isSending.value = true
    problem.value = undefined
    problems.value = {}
    note.value = ''
    try {
      await work()
    } catch (thrown) {
      refuse(thrown)
    } finally {
      isSending.value = false
    }
  }

  const start = async (create: RunCreate, shown: Partial<ThreadMessage>): Promise<void> => {
    const from = runtime.value
    begun.current ??= id || (await from.threads.create({ title: toTitle(create.task) })).id
    const threadId = begun.current
    const request = { ...create, threadId }
    const run = await from.runs.create(request, { idempotencyKey: keys.keyOf(request) })
    keys.renew()
    begun.current = undefined
    talk.add(run, shown)
    if (id === '') route(`/console/chat/${threadId}`)
    else talk.refresh()
  }

  const ask = async (task: string, changes: Partial<RunCreate> = {}): Promise<void> => {
    const { files, attachments } = draftOf(id)
    const draft = { ...EMPTY_DRAFT, ...options.value, task, files }
    const found = findProblems(draft)
    const context = toContext(attachments)
    const excess = findExcess(task, attachments, bodyBytes)
    problems.value = found
    problem.value = excess ?? Object.values(found)[0]
    if (problem.value !== undefined) return
    const material = context === undefined ? {} : { context }
    await start(
      { ...toRunCreate(draft), ...material, ...changes },
      { ...material, ...(files.length > 0 && { files: [...files] }) },
    )
  }

  const run: Record<CommandName, (rest: string) => Promise<void>> = {
    async plan(rest) {
      if (rest === '') problem.value = 'Write what is to be planned: /plan <task>.'
      else await ask(rest, { mode: 'plan' })
    },
    async model(rest) {
      changeOptions({ model: rest })
      note.value = rest === '' ? 'The default model is asked from now on.' : `${rest} is asked from now on.`
    },
    async compact(rest) {
      if (id === '') problem.value = 'Nothing was said in this conversation yet.'
      else await start({ ...toSummaryRequest(rest), approval: 'wait' }, { summarizes: true })
    },
    async undo() {
      const turn = turns.at(-1)
      if (turn === undefined) problem.value = 'Nothing was done in this conversation yet.'
      else if (!mayDo('admin')) problem.value = 'The key of this tab is not for this: it needs the scope admin.'
      else {
        const again = { turn, task: '', later: [] }
        const found = await findChanges(runtime.value, again)
        if (found === undefined) note.value = 'The last turn changed no files that can be put back.'
        else asked.value = { found, again, sends: false }
      }
    },
    async cost() {
      if (id === '') note.value = 'Nothing was spent in this conversation yet.'
      else {
        const sum = await runtime.value.runs.summary({ threadId: id })
        note.value = `${formatCount(sum.total)} runs, ${formatCount(sum.tokens)} tokens, ${costOfRuns(sum)}.`
      }
    },
    new: async () => route('/console/'),
    async help() {
      note.value = `${COMMANDS.map(([name, args, about]) => `/${name}${args && ` ${args}`}: ${about}`).join(' · ')} · @ names a file of the workspace`
    },
  }

  const send = (): void => {
    const { text } = draftOf(id)
    const command = readCommand(text)
    if (text.trim() === '') return
    if (command !== undefined && 'unknown' in command) {
      problem.value = command.unknown
      return
    }
    void once(async () => {
      if (command === undefined) await ask(text.trim())
      else await run[command.name](command.rest)
      // What was written meanwhile stays.
      if (problem.peek() === undefined && draftOf(id).text === text) changeDraft(id, EMPTY)
    })
  }

  const again = async (what: Again): Promise<void> => {
    const from = runtime.value
    const create = toRunCreate({ ...EMPTY_DRAFT, ...DEFAULTS, ...options.value, task: what.task })
    const made = await sendAgain(from, id, what, create)
    asked.value = undefined
    if (made.threadId !== undefined) route(`/console/chat/${made.threadId}`)
  }

  const actions: TurnActions = {
    again(turn, task) {
      const later = turns.slice(turns.indexOf(turn) + 1).map(({ runId }) => runId)
      const what = { turn, task, later }
      void once(async () => {
        const found = await findChanges(runtime.value, what)
        if (found === undefined) await again(what)
        else asked.value = { found, again: what, sends: true }
      })
    },
    async goOn(turn, addTokens) {
      const made = await runtime.value.runs.resume(turn.runId, addTokens > 0 ? { addBudget: addTokens } : {})
      if (made.id !== turn.runId) talk.add(made, {})
      talk.refresh()
    },
    async takeBack(turn) {
      const { runs } = runtime.value
      await runs.cancel(turn.runId, 'taken back before it began')
      if (draftOf(id).text === '') changeDraft(id, { text: turn.asked?.content ?? '' })
      // What never began need not stand in the conversation; who may not remove it sees it as taken back.
      if (mayDo('admin')) await runs.delete(turn.runId).catch(() => {})
      talk.refresh()
    },
    onEnd: talk.refresh,
    announce: onAnnounce,
  }

  const attach = async (given: readonly File[]): Promise<void> => {
    problem.value = undefined
    const read = await Promise.all(given.map(readAttachment))
    const added = read.filter((one) => typeof one !== 'string')
    const refused = read.filter((one) => typeof one === 'string')
    const { text, attachments } = draftOf(id)
    const all = [...attachments, ...added]
    changeDraft(id, { attachments: all })
    problem.value = refused.length > 0 ? refused.join(' ') : findExcess(text, all, bodyBytes)
  }

  return {
    isSending: isSending.value,
    problem: problem.value,
    problems: problems.value,
    note: note.value,
    send,
    attach: (files: readonly File[]): void => void attach(files),
    actions,
    stop: (runId: string): void =>
      void once(async () => void (await runtime.value.runs.cancel(runId, 'stopped by a person'))),
    asked: asked.value,
    async putBack(): Promise<void> {
      const { again: what, sends } = asked.value ?? {}
      if (what === undefined) return
      const { files } = await putBack(runtime.value, what)
      if (sends) await again(what)
      else {
        asked.value = undefined
        note.value = `Put back: ${files.map(({ path }) => path).join(', ')}.`
      }
    },
    async keepFiles(): Promise<void> {
      if (asked.value !== undefined) await again(asked.value.again)
    },
    closeAsked: (): void => {
      asked.value = undefined
    },
  }
}
