import type { Run, RunMessage, ThreadMessage } from '@svc/sdk/remote'

/** One run of a conversation: what was asked, and what was answered. */
export interface Turn {
  runId: string
  /** Absent where it stands on an earlier page. */
  asked: ThreadMessage | undefined
  /** What was asked at first; `asked` goes on with what was said to the run while it worked. Empty where `asked` is absent. */
  task: string
  /** What was said to the run while it worked, and read; of a run that goes on from an earlier turn, what is new. */
  said: readonly RunMessage[]
  /** Absent while there is none, and where the run came to none. */
  answer: ThreadMessage | undefined
  status: Run['status']
  /** The run as it is listed; absent where it is of an earlier page, or of the conversation this one was copied from. */
  run: Run | undefined
}

/** Messages in the order in which they were said, those of one run together. */
export function toTurns(messages: readonly ThreadMessage[], runs: ReadonlyMap<string, Run>): Turn[] {
  const turns: Turn[] = []
  const known = new Set<string>()
  for (const message of messages) {
    const { runId, role } = message
    let turn = turns.at(-1)
    if (turn?.runId !== runId) {
      const run = runs.get(runId)
      const status = run?.status ?? message.status ?? 'completed'
      const said = run?.messages?.filter(({ id }) => !known.has(id) && known.add(id)) ?? []
      turn = { runId, asked: undefined, task: '', said, answer: undefined, status, run }
      turns.push(turn)
    }
    if (role === 'user') {
      turn.asked = message
      turn.task = turn.run?.task ?? message.content
    } else turn.answer = message
  }
  return turns
}

/** Whether the agents of a turn that has not ended read what is said to it. */
export const isOpenToWords = ({ run, asked, status }: Turn): boolean =>
  run?.mode === 'execute' && asked?.summarizes !== true && status !== 'cancelling'

/** Whether a text was asked for after a turn, alone or among others. */
export const isAskedAfter = (turns: readonly Turn[], turn: Turn, text: string): boolean =>
  turns.slice(turns.indexOf(turn) + 1).some(({ task }) => `\n\n${task}\n\n`.includes(`\n\n${text.trim()}\n\n`))

/**
 * What is known of a conversation, with its newest page as it is now.
 *
 * @param known oldest first
 * @param page the newest messages, oldest first
 * @returns undefined where there is something between the two: then what is known is no longer whole
 */
export function withNewest(
  known: readonly ThreadMessage[],
  page: readonly ThreadMessage[],
): readonly ThreadMessage[] | undefined {
  const [first] = page
  if (first === undefined || known.length === 0) return page
  const at = known.findIndex(({ runId, role }) => runId === first.runId && role === first.role)
  return at === -1 ? undefined : [...known.slice(0, at), ...page]
}
