import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decompose } from '../src/text/task/decompose.ts'
import { DEPENDENCE } from './fixtures/dependence.ts'

const test = suite('which parts of a request wait for which')

const shapeOf = (request: string): string =>
  decompose(request)
    .parts.map(({ dependsOn }) => (dependsOn.length === 0 ? '-' : dependsOn.map((index) => index + 1).join(',')))
    .join(' ')

for (const [request, ...expected] of DEPENDENCE) {
  test(`${JSON.stringify(request).slice(0, 70)} is ${expected.join(' or ')}`, () => {
    const shape = shapeOf(request)
    assert.ok(
      expected.includes(shape),
      `${shape}\n${decompose(request)
        .parts.map(({ objective }) => `  ${objective}`)
        .join('\n')}`,
    )
  })
}

test.run()
