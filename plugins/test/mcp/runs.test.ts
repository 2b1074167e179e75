import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { plain } from '../fixtures/mcp/programs.ts'
import { offeredOf, tryRun } from '../fixtures/mcp/trials.ts'

const test = suite('runs with MCP servers')

test('a run is offered the tools of its servers under their names, and asks before it calls one', async () => {
  const files = plain({ tools: [{ name: 'read', description: 'Reads.' }, { name: 'write' }] })
  const trial = await tryRun(
    { files, off: { command: '/no/such/program', disabled: true } },
    {
      calls: [{ tool: 'mcp.files.read', args: {} }],
      decide: () => ({ decision: 'approve' }),
    },
  )
  assert.equal(offeredOf(trial), ['mcp.files.read', 'mcp.files.write'])
  assert.equal(trial.approvals, ['mcp.files.read'])
  assert.equal(trial.said, ['did read'])
  const requested = trial.events.find(({ type }) => type === 'tool.requested')
  assert.match(JSON.stringify(requested), '"risk":"execute"')
  assert.match(JSON.stringify(requested), 'MCP server files')
  assert.match(JSON.stringify(trial.events.find(({ type }) => type === 'tool.completed')), '"trust":"untrusted"')
})

test('where nobody is asked, a call is refused', async () => {
  const trial = await tryRun(
    { files: plain({ tools: [{ name: 'read' }] }) },
    { calls: [{ tool: 'mcp.files.read', args: {} }] },
  )
  assert.match(trial.said[0] ?? '', /denied: .*nobody is there/)
})

test.run()
