import type { Run, ThreadMessage } from '@svc/sdk/remote'

/** One run of a conversation: what was asked, and what was answered. */
export interface Turn {
  runId: string
  /** Absent where it stands on an earlier page. */
  asked: ThreadMessage | undefined
  /** Absent while there is none, and where the run came to none. */
  answer: ThreadMessage | undefined
  status: Run['status']
  /** The run as it is listed; absent where it is of an earlier page, or of the conversation this one was copied from. */
  run: Run | undefined
}

/** Messages in the order in which they were said, those of one run together. */
export function toTurns(messages: readonly ThreadMessage[], runs: ReadonlyMap<string, Run>): Turn[] {
  const turns: Turn[] = []
  for (const message of messages) {
    const { runId, role } = message
    let turn = turns.at(-1)
    if (turn?.runId !== runId) {
      const run = runs.get(runId)
      turn = { runId, asked: undefined, answer: undefined, status: run?.status ?? message.status ?? 'completed', run }
      turns.push(turn)
    }
    if (role === 'user') turn.asked = message
    else turn.answer = message
  }
  return turns
}

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
