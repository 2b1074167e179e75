import { Validator } from '@seriousme/openapi-schema-validator'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createOpenApi, ROUTES } from '../src/index.ts'
import { openServer } from './fixtures/open-server.ts'

const test = suite('the OpenAPI document')

test('it is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(createOpenApi(ROUTES))
  assert.equal(errors ?? [], [])
  assert.is(valid, true)
  assert.is(validator.version, '3.1')
})

test('it is served, and describes each route of the table and no other', async () => {
  const world = await openServer()
  const { status, json } = await world.ask('GET', '/openapi.json')
  await world.close()
  assert.is(status, 200)
  const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  assert.equal(described.sort(), ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
})

test('every reference leads to a schema', () => {
  const document = createOpenApi(ROUTES) as { components: { schemas: Record<string, unknown> } }
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name,
  )
  assert.ok(references.length > 100)
  assert.equal(
    references.filter((name) => !Object.hasOwn(document.components.schemas, name ?? '')),
    [],
  )
})

test.run()
