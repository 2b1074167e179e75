/** Serves the scenes, with a run of each, until a signal: `node --conditions=@svc/source --import tsx server/test/console/serve.ts [port]`. */
import { openScenes, SCENES, TEAM } from './scenes.ts'

const opened = await openScenes({ server: { port: Number(process.argv[2] ?? 0) } })
const { runs } = opened.runtime
await runs.create({ task: SCENES.failure })
await runs.create({ task: SCENES.vote, riskLevel: 'high', consensus: true })
await runs.create({ task: SCENES.team, ...TEAM })
await runs.create({ task: SCENES.approval, approval: 'wait' })
await runs.create({ task: SCENES.slow, model: 'slow/words' })
await runs.create({ task: 'Summarise README.md', tags: ['docs'] })
console.log(`${opened.url}/console/`)
process.once('SIGTERM', () => void opened.close())
process.once('SIGINT', () => void opened.close())
