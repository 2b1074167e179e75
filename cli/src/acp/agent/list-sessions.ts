import { isAbsolute } from 'node:path'
import type { ListSessionsResponse, SessionInfo } from '@agentclientprotocol/sdk'
import type { Runtime } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { oneLine } from '../../render/one-line.ts'
import { checkFolder, startSession } from '../session/start-session.ts'

const MOST_TITLE_CHARS = 80

/**
 * The conversations of a folder, or of all folders that share its store, that first in which something happened last.
 *
 * @param cwd absolute; null: that of this process, and conversations of other folders too
 * @throws ValidationError `validation_failed`, `invalid_cursor`
 */
export async function listSessions(
  context: CommandContext,
  cwd: string | null,
  cursor: string | null,
): Promise<ListSessionsResponse> {
  if (cwd !== null) checkFolder(cwd)
  return inFolder(context, cwd ?? process.cwd(), async (runtime) => {
    const page = await runtime.threads.list({
      order: 'activity',
      ...(cursor !== null && { after: cursor }),
      ...(cwd === null && { all: true }),
    })
    const sessions: SessionInfo[] = []
    for (const { id, title, space } of page.data) {
      const folder = cwd ?? space
      if (folder === undefined || !isAbsolute(folder)) continue
      const [newest] = (await runtime.runs.list({ threadId: id, limit: 1, ...(cwd === null && { all: true }) })).data
      if (newest === undefined) continue
      sessions.push({
        sessionId: id,
        cwd: folder,
        title: title ?? oneLine(context.io.redact(newest.task), MOST_TITLE_CHARS),
        updatedAt: newest.finishedAt ?? newest.createdAt,
      })
    }
    return { sessions, ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }) }
  })
}

/** Removes a conversation, of whichever folder. @throws NotFoundError `thread_not_found` */
export async function deleteSession(context: CommandContext, id: string): Promise<void> {
  const { space } = await inFolder(context, process.cwd(), ({ threads }) => threads.get(id, { all: true }))
  const folder = space !== undefined && isAbsolute(space) ? space : process.cwd()
  await inFolder(context, folder, ({ threads }) => threads.delete(id))
}

/** Works with a runtime of a folder, and closes it. */
async function inFolder<Result>(
  context: CommandContext,
  cwd: string,
  work: (runtime: Runtime) => Promise<Result>,
): Promise<Result> {
  const { runtime } = await startSession(context, { cwd, mcpServers: [] }, undefined)
  try {
    return await work(runtime)
  } finally {
    await runtime.close()
  }
}
