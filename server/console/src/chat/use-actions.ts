import type { RunCreate } from '@svc/sdk/remote'
import { useLocation } from 'preact-iso'
import { EMPTY_DRAFT, findProblems, toRunCreate } from '../runs/new-run/draft.ts'
import { runtime } from '../session/session.ts'
import { useAgain } from './again/use-again.ts'
import { findExcess, readAttachment, toContext } from './composer/attachments.ts'
import { readCommand } from './composer/commands.ts'
import { changeDraft, draftOf, EMPTY, options } from './composer/draft-state.ts'
import { runCommand } from './composer/run-command.ts'
import { useSteering } from './steer/use-steering.ts'
import type { TurnActions } from './talk/turn-actions.ts'
import type { Turn } from './talk/turns.ts'
import type { Talk } from './talk/use-messages.ts'
import { useSending } from './use-sending.ts'
import { useStart } from './use-start.ts'

interface Around {
  talk: Talk
  /** The run at work. */
  active: Turn | undefined
  /** What the server takes in one request. */
  bodyBytes: number | undefined
  announce: (text: string) => void
}

/** What can be done in a conversation. */
export function useActions(id: string, { talk, active, bodyBytes, announce }: Around) {
  const { route } = useLocation()
  const sending = useSending(id)
  const { isSending, problem, problems, note, once } = sending
  const { again, undo, ...putBack } = useAgain(id, talk.turns, sending)
  const start = useStart(id, talk, sending.isShown)
  const { say, ofTurns } = useSteering(id, { talk, active, sending, start, announce })

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

  const send = (isNext = false): void => {
    const { text, files, attachments } = draftOf(id)
    const task = text.trim()
    const command = readCommand(task)
    if (task === '') return
    if (command !== undefined && 'unknown' in command) {
      problem.value = command.unknown
      return
    }
    // What has files is a message of its own.
    const isPlain = files.length + attachments.length === 0 && findExcess(task, [], bodyBytes) === undefined
    void once(async () => {
      if (command !== undefined)
        await runCommand(command.name, command.rest, {
          id,
          say: sending,
          ask,
          start,
          undo,
          begin: () => route('/console/'),
        })
      else if (isNext || !isPlain || !(await say(task))) await ask(task)
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
    ...ofTurns,
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
