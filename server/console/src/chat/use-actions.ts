import { SvcError, toSummaryRequest } from '@svc/core/client'
import type { RunCreate, ThreadMessage } from '@svc/sdk/remote'
import { useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { costOfRuns, formatCount, oneLine } from '../parts/format.ts'
import { EMPTY_DRAFT, findProblems, toRunCreate } from '../runs/new-run/draft.ts'
import { RequestKeys } from '../session/request-keys.ts'
import { mayDo, runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import { useAgain } from './again/use-again.ts'
import { findExcess, readAttachment, toContext } from './composer/attachments.ts'
import { COMMANDS, type CommandName, readCommand } from './composer/commands.ts'
import { changeDraft, changeOptions, draftOf, EMPTY, options } from './composer/draft-state.ts'
import { steer, toTask } from './steer/sent.ts'
import type { TurnActions } from './talk/turn-actions.ts'
import { isAskedAfter, type Turn } from './talk/turns.ts'
import type { Talk } from './talk/use-messages.ts'
import { toTitle } from './threads/title.ts'
import { useSending } from './use-sending.ts'

/** Of a message, for people who cannot see it. */
const MOST_SPOKEN = 80

interface Around {
  talk: Talk
  /** The run at work that can be told something. */
  open: Turn | undefined
  /** What the server takes in one request. */
  bodyBytes: number | undefined
  announce: (text: string) => void
}

/** What can be done in a conversation. */
export function useActions(id: string, { talk, open, bodyBytes, announce }: Around) {
  const { route } = useLocation()
  const sending = useSending(id)
  const { isSending, problem, problems, note, once } = sending
  const { again, undo, ...putBack } = useAgain(id, talk.turns, sending)
  const start = useStart(id, talk, sending.isShown)

  const ask = async (task: string, changes: Partial<RunCreate> = {}): Promise<void> => {
    const { files, attachments } = draftOf(id)
    const draft = { ...EMPTY_DRAFT, ...options.value, task, files }
    const context = toContext(attachments)
    problems.value = findProblems(draft)
    problem.value = findExcess(task, attachments, bodyBytes) ?? Object.values(problems.value)[0]
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
    undo,
    async cost() {
      const sum = id === '' ? undefined : await runtime.value.runs.summary({ threadId: id })
      note.value =
        sum === undefined
          ? 'Nothing was spent in this conversation yet.'
          : `${formatCount(sum.total)} runs, ${formatCount(sum.tokens)} tokens, ${costOfRuns(sum)}.`
    },
    new: async () => route('/console/'),
    async help() {
      note.value = `${COMMANDS.map(([name, args, about]) => `/${name}${args && ` ${args}`}: ${about}`).join(' · ')} · @ names a file of the workspace`
    },
  }

  /** What is asked for by no draft: words, and the material that a message had. */
  const askFor = (task: string, { context, files }: Partial<ThreadMessage> = {}, key?: string): Promise<void> => {
    // What was read of its files is in the material.
    const material = context !== undefined ? { context } : files !== undefined ? { files } : {}
    return start({ ...toRunCreate({ ...EMPTY_DRAFT, ...options.value, task }), ...material }, material, key)
  }
  const say = async (runId: string, text: string): Promise<boolean> => {
    try {
      await steer(runId, text)
      announce(`Sent, to be read before the next step: ${oneLine(text, MOST_SPOKEN)}`)
      return true
    } catch (thrown) {
      // It has ended meanwhile.
      if (toError(thrown).code !== 'invalid_transition') throw thrown
      return false
    }
  }
  /** @throws SvcError `invalid_transition` where it has begun */
  const remove = async ({ runId }: Turn): Promise<void> => {
    const { runs } = runtime.value
    if ((await runs.get(runId)).status !== 'queued')
      throw new SvcError('invalid_transition', 'It has begun meanwhile, and was left as it is.')
    await runs.cancel(runId, 'taken back before it began')
    // What never began need not stand in the conversation; who may not remove it sees it as taken back.
    if (mayDo('admin')) await runs.delete(runId).catch(() => {})
    talk.refresh()
  }

  /** Words that could not be sent are not lost: they are there to be sent again. */
  const orKeep = async (text: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (thrown) {
      if (draftOf(id).text === '') changeDraft(id, { text })
      throw thrown
    }
  }

  const send = (isNext = false): void => {
    const { text, files, attachments } = draftOf(id)
    const command = readCommand(text)
    if (text.trim() === '') return
    if (command !== undefined && 'unknown' in command) {
      problem.value = command.unknown
      return
    }
    void once(async () => {
      const isSteering = command === undefined && !isNext && files.length + attachments.length === 0
      if (isSteering && open !== undefined && (await say(open.runId, text.trim()))) {
        // It stands below what is done.
      } else if (command === undefined) await ask(text.trim())
      else await run[command.name](command.rest)
      // What was written meanwhile stays.
      if (problem.peek() === undefined && draftOf(id).text === text) changeDraft(id, EMPTY)
    })
  }

  const actions: TurnActions = {
    again,
    async goOn(turn, addTokens) {
      const made = await runtime.value.runs.resume(turn.runId, addTokens > 0 ? { addBudget: addTokens } : {})
      if (made.id !== turn.runId) talk.add(made, {})
      talk.refresh()
    },
    remove,
    replace: (turn, task) =>
      void once(() =>
        orKeep(task, async () => {
          await remove(turn)
          await askFor(task, turn.asked)
        }),
      ),
    async sayNow(turn) {
      await remove(turn)
      await orKeep(turn.task, async () => {
        if (open === undefined || !(await say(open.runId, turn.task))) await askFor(turn.task)
      })
    },
    sendUnread: (messages) => askFor(toTask(messages), {}, `unread-${messages[0]?.id}`),
    isAskedAfter: (turn, text) => isAskedAfter(talk.turns, turn, text),
    onEnd: talk.refresh,
    announce,
  }

  const attach = async (given: readonly File[]): Promise<void> => {
    problem.value = undefined
    const read = await Promise.all(given.map(readAttachment))
    const refused = read.filter((one) => typeof one === 'string')
    const { text, attachments } = draftOf(id)
    const all = [...attachments, ...read.filter((one) => typeof one !== 'string')]
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
    putBack,
  }
}

/** Makes a run of the conversation, which begins with it where there is none yet. */
function useStart(id: string, talk: Talk, isShown: () => boolean) {
  const { route } = useLocation()
  /** A conversation that was begun for a message that was refused then. */
  const begun = useRef<string>(undefined)
  const keys = useMemo(() => new RequestKeys(), [])
  return async (create: RunCreate, shown: Partial<ThreadMessage>, key?: string): Promise<void> => {
    const { runs, threads } = runtime.value
    if (id === '') begun.current ??= (await threads.create({ title: toTitle(create.task) })).id
    const threadId = id || begun.current || ''
    const request = { ...create, threadId }
    const run = await runs.create(request, { idempotencyKey: key ?? keys.keyOf(request) })
    keys.renew()
    if (id === '') begun.current = undefined
    if (!isShown()) return
    talk.add(run, shown)
    if (id === '') route(`/console/chat/${threadId}`)
    else talk.refresh()
  }
}
