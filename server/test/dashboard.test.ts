/** The dashboard of Grafana: each of its queries finds series in a Prometheus that scrapes a real server and a real worker. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ProviderError } from '@svc/core'
import * as assert from 'uvu/assert'
import { makeFolder } from './fixtures/folder.ts'
import { posting, postingScript } from './fixtures/good-requests.ts'
import { openServer, serverSuite } from './fixtures/open-server.ts'
import { until } from './fixtures/until.ts'

const test = serverSuite('dashboard')

const PROMETHEUS = 'prometheus'
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

interface Panel {
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; datasource: { uid: string } }[]
}
const dashboard = JSON.parse(readFileSync(pathOf('../deploy/grafana/svc.json'), 'utf8')) as { panels: Panel[] }
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

/** A Prometheus that scrapes each second and knows the rules that come with svc. */
async function startPrometheus(jobs: Readonly<Record<string, number>>) {
  const dir = makeFolder()
  const config = join(dir, 'prometheus.json')
  writeFileSync(
    config, // JSON is YAML.
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [pathOf('../deploy/prometheus/rules.yml')],
      scrape_configs: Object.entries(jobs).map(([name, port]) => ({
        job_name: name,
        static_configs: [{ targets: [`127.0.0.1:${port}`] }],
      })),
    }),
  )
  const port = await freePort()
  const child = spawn(
    PROMETHEUS,
    [`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.on('exit', resolve))
  /** @returns how many series a query finds; undefined for an answer that is none */
  const find = async (expr: string): Promise<number | undefined> => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`
    const answer = await fetch(url).catch(() => undefined)
    if (answer === undefined) return undefined
    const { status, error, data } = (await answer.json()) as {
      status: string
      error?: string
      data?: { result: unknown[] }
    }
    assert.is(status, 'success', `${expr}: ${error}`)
    return data?.result.length
  }
  return {
    find,
    close() {
      child.kill('SIGTERM')
      return ended
    },
  }
}

test('panels do not overlap, are within 24 columns, and ask the Prometheus that is provisioned', () => {
  const source = readFileSync(pathOf('../deploy/grafana/provisioning/datasources/prometheus.yaml'), 'utf8')
  const taken = new Set<string>()
  for (const { title, gridPos } of dashboard.panels) {
    assert.ok(gridPos.x + gridPos.w <= 24, title)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        assert.not.ok(taken.has(`${x} ${y}`), `${title} at ${x} ${y}`)
        taken.add(`${x} ${y}`)
      }
  }
  for (const { datasource } of targets) assert.match(source, new RegExp(`^ +uid: ${datasource.uid}$`, 'm'))
})

const script: NonNullable<Parameters<typeof openServer>[0]>['script'] = (request, index) => {
  if (!JSON.stringify(request.messages).includes('Fail, please')) return postingScript(request, index)
  return { error: new ProviderError('provider_auth', 'the key was revoked', { provider: 'scripted' }) }
}

if (spawnSync(PROMETHEUS, ['--version']).status === 0)
  test('each query finds series of a server and a worker that have worked', async () => {
    const options = {
      script,
      plugins: [posting()],
      models: [{ id: 'scripted', tools: true, json: 'schema' as const, price: { input: 3, output: 15 } }],
    }
    const server = await openServer(options)
    const worker = await openServer({ ...options, server: { probesOnly: true } })
    const prometheus = await startPrometheus({ svc: server.port, 'svc-worker': worker.port })
    try {
      for (const task of ['What is 6 times 7?', 'Post a message to the team', 'Fail, please'])
        await server.ask('POST', '/v1/runs?wait=60000', { body: { task } })
      // A call that is refused at once, as nobody is there to ask.
      await server.ask('POST', '/execute', { body: { task: 'Post a message to the team' } })
      assert.ok(targets.length > 20)
      for (const { title, expr } of targets) {
        const query = expr.replaceAll('$__rate_interval', '1m')
        await until(async () => ((await prometheus.find(query)) ?? 0) > 0).catch((thrown) => {
          throw new Error(`${title}: ${query}: ${(thrown as Error).message}`)
        })
      }
    } finally {
      await prometheus.close()
    }
  })
else test.skip('no query is asked: skipped, there is no prometheus', () => {})

test.run()
