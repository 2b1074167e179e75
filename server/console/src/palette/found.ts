import { shownStateOf } from '@svc/core/client'
import type { Runtime } from '@svc/sdk/remote'
import { titleOf } from '../chat/threads/title.ts'
import { formatDate, oneLine, shortId } from '../parts/format.ts'

/** Something on the server that a query leads to. */
export interface Found {
  key: string
  group: 'Runs' | 'Chats' | 'Agents'
  name: string
  note: string
  href: string
}

const MOST_RUNS = 8
const MOST_OTHERS = 5
/** An id, or an end of one that is long enough to be meant. */
const LIKE_ID = /^(?:run_)?[0-9a-z]{4,26}$/i

/** Runs, conversations and agents that fit a query. What one of the lists refuses leaves the others as they are. */
export async function findOnServer({ runs, threads, agents }: Runtime, query: string): Promise<Found[]> {
  const word = query.toLowerCase()
  const lists = await Promise.allSettled([
    findRuns(runs, query),
    threads.list({ order: 'activity', limit: 100 }).then(({ data }) =>
      data
        .filter((thread) => `${titleOf(thread)} ${thread.id}`.toLowerCase().includes(word))
        .slice(0, MOST_OTHERS)
        .map((thread) => toFound('Chats', thread.id, titleOf(thread), 'chat', 'chat')),
    ),
    agents.list().then((all) =>
      all
        .filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(word))
        .slice(0, MOST_OTHERS)
        .map(({ id, name, role }) => toFound('Agents', id, name, role, 'agents')),
    ),
  ])
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
}

async function findRuns(runs: Runtime['runs'], query: string): Promise<Found[]> {
  const [byWords, newest] = await Promise.all([
    runs.list({ q: query, limit: MOST_RUNS }),
    LIKE_ID.test(query) ? runs.list({ limit: 100 }) : undefined,
  ])
  const end = query.toUpperCase().replace(/^RUN_/, '')
  const byId =
    newest?.data.filter(({ id }) => id.toUpperCase().endsWith(end) || id.toUpperCase() === `RUN_${end}`) ?? []
  const seen = new Set<string>()
  return [...byId, ...byWords.data]
    .filter(({ id }) => !seen.has(id) && seen.add(id))
    .slice(0, MOST_RUNS)
    .map((run) => {
      const { id, task } = run
      const note = `${formatDate(run.createdAt)} · ${shownStateOf(run).text} · ${shortId(id)}`
      return toFound('Runs', id, oneLine(task, 120) || 'No task', note, 'runs')
    })
}

const toFound = (group: Found['group'], id: string, name: string, note: string, folder: string): Found => ({
  key: `${group} ${id}`,
  group,
  name,
  note,
  href: `/console/${folder}/${encodeURIComponent(id)}`,
})
