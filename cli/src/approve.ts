import type { Approval, Decision, Runtime } from '@svc/core'
import { type Io, toSafe } from './io.ts'
import type { Progress } from './progress/progress.ts'

/** Asks the person at the terminal whenever a tool needs permission, one question at a time. */
export function promptApprovals(runtime: Runtime, io: Io, progress: Progress): () => void {
  let last: Promise<void> = Promise.resolve()
  return runtime.onEvent(({ type, data }) => {
    if (type !== 'approval.requested') return
    const approval = data as unknown as Approval
    last = last
      .then(() => progress.pause(() => ask(approval, io)))
      .then(async (decision) => void (await runtime.approvals.resolve(approval.id, decision)))
      .catch(() => {})
  })
}

async function ask(approval: Approval, io: Io): Promise<Decision> {
  const { isCancel, select } = await import('@clack/prompts')
  const { tool, args, risk, reason, taint } = approval
  io.err(toSafe(`${tool} (${risk}) wants to run: ${reason}\n${JSON.stringify(args, null, 2)}\n`))
  if (taint.length > 0) io.err(toSafe(`The agent has read untrusted content: ${taint.join(', ')}\n`))
  const answer = await select({
    message: `Allow ${toSafe(tool)}?`,
    options: [
      { value: 'deny', label: 'No' },
      { value: 'approve', label: 'Yes, this once' },
    ],
    output: process.stderr,
  })
  return { decision: !isCancel(answer) && answer === 'approve' ? 'approve' : 'deny' }
}
