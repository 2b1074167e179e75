import {
  definePlugin,
  type ExecutionResult,
  type ModelProvider,
  ProviderError,
  type RunCreate,
  startRuntime,
} from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { inspect } from '../src/defaults/inspect.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { reflect } from '../src/defaults/reflect.ts'

const test = suite('a provider that cannot be reached')

const CITIES = ['Oslo', 'Lima', 'Cairo', 'Rome', 'Paris', 'Berlin', 'Madrid', 'Vienna']

test("a wide team of agents on eight models ends after nine calls at most with the provider's error", async () => {
  let calls = 0
  const dead: ModelProvider = {
    id: 'dead',
    defaultModel: 'm0',
    models: async () => CITIES.map((_, index) => ({ id: `m${index}`, context: 100_000 })),
    // biome-ignore lint/correctness/useYield: it fails before it says anything
    async *generate() {
      calls++
      throw new ProviderError('provider_unavailable', 'the connection failed (ECONNREFUSED)', { provider: 'dead' })
    },
  }
  const host = definePlugin('host', ({ providers }) => providers.add('dead', dead))()
  const plugins = [host, analyze(), allocate(), orchestrate({ concurrency: 8 }), reflect(), inspect()]
  const runtime = await startRuntime({ plugins: plugins.map((plugin) => ({ plugin })), defaultModel: 'dead/m0' })
  const agents = CITIES.map((city, index) => ({ name: `Guide of ${city}`, model: `dead/m${index}` }))
  const task = `Compare ${CITIES.join(', ')} by the price of a hotel night`
  const { id } = await runtime.runs.create({ task, topology: 'PARALLEL', agents } as RunCreate)
  await runtime.runs.wait(id)
  const result = (await runtime.runs.result(id)) as ExecutionResult
  await runtime.close()
  assert.equal(
    [result.status, result.error?.code, result.error?.message],
    ['failed', 'provider_unavailable', 'the connection failed (ECONNREFUSED)'],
  )
  assert.ok(calls <= 9, `${calls} calls`)
})

test.run()
