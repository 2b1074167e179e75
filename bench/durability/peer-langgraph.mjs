/**
 * LangGraph JS with its SQLite or PostgreSQL checkpointer, which is measured where it is asked for:
 * `SVC_BENCH_LANGGRAPH=<folder>` names a folder outside the repository; what is not there is installed there.
 * better-sqlite3 is compiled where there is no binary of it, which takes minutes.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { newAnswer } from './tasks.mjs'

const PACKAGES = [
  '@langchain/core',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
  '@langchain/langgraph-checkpoint-postgres',
]

/**
 * @param {{ file?: string, url?: string, steps: number, next?(said: unknown[]): unknown }} settings a file or a database; `steps`
 *   is the number of nodes that follow each other, each of which adds what `next` makes of all before
 * @returns {Promise<{ name: string, run(said?: unknown[]): Promise<unknown>, close(): unknown } | { skipped: string }>}
 */
export async function createLangGraph({ file, url, steps, next = newAnswer }) {
  const folder = process.env.SVC_BENCH_LANGGRAPH
  if (folder === undefined) return { skipped: 'SVC_BENCH_LANGGRAPH names no folder to install it in' }
  try {
    const { graph, close, version } = await load(folder, steps, { file, url }, next)
    let threads = 0
    return {
      name: `LangGraph ${version}`,
      async run(said = []) {
        const config = { configurable: { thread_id: `thread-${++threads}` }, recursionLimit: steps + 5 }
        const { answers } = await graph.invoke({ answers: said }, config)
        if (answers.length !== said.length + steps) throw new Error(`${answers.length} answers`)
      },
      close,
    }
  } catch (thrown) {
    return { skipped: thrown instanceof Error ? thrown.message : String(thrown) }
  }
}

async function load(folder, steps, where, next) {
  if (!existsSync(join(folder, 'node_modules'))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...PACKAGES], { cwd: folder, stdio: 'inherit' })
  }
  const require = createRequire(join(folder, 'package.json'))
  const use = async (name) => import(pathToFileURL(require.resolve(name)).href)
  const { Annotation, END, START, StateGraph } = await use('@langchain/langgraph')
  const { saver, close } =
    where.url === undefined ? await openSqlite(use, where.file) : await openPostgres(use, where.url)
  const State = Annotation.Root({
    answers: Annotation({ reducer: (earlier, later) => [...earlier, ...later], default: () => [] }),
  })
  const builder = new StateGraph(State)
  const names = Array.from({ length: steps }, (_, index) => `step-${index + 1}`)
  for (const name of names) builder.addNode(name, async ({ answers }) => ({ answers: [await next(answers)] }))
  builder.addEdge(START, names[0])
  for (const [index, name] of names.entries()) builder.addEdge(name, names[index + 1] ?? END)
  const manifest = join(folder, 'node_modules', '@langchain', 'langgraph', 'package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'))
  return { graph: builder.compile({ checkpointer: saver }), close, version }
}

async function openSqlite(use, file) {
  const { SqliteSaver } = await use('@langchain/langgraph-checkpoint-sqlite')
  const saver = SqliteSaver.fromConnString(file)
  // As durable as the others: its own default in the WAL mode that it sets is as well.
  saver.db.pragma('synchronous = FULL')
  return { saver, close: () => saver.db.close() }
}

async function openPostgres(use, url) {
  const { PostgresSaver } = await use('@langchain/langgraph-checkpoint-postgres')
  const saver = PostgresSaver.fromConnString(url)
  await saver.setup()
  return { saver, close: () => saver.end() }
}
