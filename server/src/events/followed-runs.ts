import type { Run } from '@svc/core'
import { toKnownError, toProblem } from '../http/problem.ts'
import { createFilter } from './filter.ts'
import type { RunFeeds } from './run-feeds.ts'
import { RunReader } from './run-reader.ts'
import type { StreamClient } from './stream-client.ts'

/** Runs that one stream follows, each from a number on. */
export interface FollowedRuns {
  /** Number of the last event that is known, by run, in the order in which they are read. */
  runs: ReadonlyMap<string, number>
  /** @throws what is wrong with a run, or with its number */
  find(id: string, after: number): Promise<Run>
}

const ID = Buffer.from('id: ')
const NO_ID = Buffer.from('id:\n')

/** A frame in a stream of several runs that counts for none of them. */
export const toUnnumbered = (frame: Buffer): Buffer => Buffer.concat([NO_ID, frame])

/**
 * Sends the events of several runs: of one after the other what was before, then of all as it comes. A run that has ended
 * says so with `end`, one that cannot be read with `error`; the stream goes on.
 */
export async function followRuns(client: StreamClient, feeds: RunFeeds, { runs, find }: FollowedRuns): Promise<void> {
  const accepts = createFilter({})
  const joined: [string, RunReader][] = []
  client.signal.addEventListener('abort', () => {
    for (const [runId, reader] of joined) feeds.leave(runId, reader)
  })
  for (const [runId, after] of runs) {
    if (client.isOver) return
    const say = (name: string, data: object): void =>
      client.write(Buffer.from(`event: ${name}\ndata: ${JSON.stringify({ runId, ...data })}\n\n`))
    const onFail = (thrown: unknown): void => {
      const { code, detail, retryable } = toProblem(toKnownError(thrown), '', '')
      say('error', { code, message: detail, retryable })
    }
    try {
      const run = await find(runId, after)
      // Nobody would take a reader that is gone off its feed again.
      if (client.isOver) return
      const toSent = (frame: Buffer): Buffer => toNumbered(runId, frame)
      const reader = new RunReader(client, { after, accepts, toSent, onEnd: () => say('end', {}), onFail })
      joined.push([runId, reader])
      await feeds.read(run, reader, after)
    } catch (thrown) {
      onFail(thrown)
    }
  }
}

/** A number counts within its run: what one goes on from names both. */
const toNumbered = (runId: string, frame: Buffer): Buffer =>
  frame.subarray(0, ID.length).equals(ID)
    ? Buffer.concat([ID, Buffer.from(`${runId}:`), frame.subarray(ID.length)])
    : frame
