import { type Consensus, definePlugin, noUsage, textMessage, type Vote } from '@svc/core'

/** Answers `consensus` with three votes, that of the run among them: what two of them say counts. */
export default definePlugin('majority', ({ hooks }) => {
  hooks.consensus.tapPromise('majority', async (answer, { task, execution }, run): Promise<Consensus | undefined> => {
    if (answer || execution.status !== 'completed') return answer
    const votes: Vote[] = [
      { voter: 'vote-1', family: run.defaultModel, answer: execution.output.trim(), usage: noUsage() },
    ]
    let [inputTokens, outputTokens] = [0, 0]
    for (const voter of ['vote-2', 'vote-3']) {
      const { text, provider, model, usage } = await run.model({
        key: `majority/attempt:${run.attempt}/${voter}`,
        agentId: 'majority',
        model: '',
        messages: [textMessage('user', task.description)],
        stream: false,
      })
      votes.push({ voter, family: `${provider}/${model}`, answer: text.trim(), usage })
      inputTokens += usage.inputTokens
      outputTokens += usage.outputTokens
    }
    const votersOf = new Map<unknown, Vote[]>()
    for (const vote of votes) votersOf.set(vote.answer, [...(votersOf.get(vote.answer) ?? []), vote])
    const [[leader, won] = [undefined, []]] = [...votersOf].sort(([, a], [, b]) => b.length - a.length)
    return {
      decision: won.length >= 2 ? 'accept' : 'abstain',
      ...(won.length >= 2 && { answer: leader }),
      posterior: won.length / 3,
      confidence: won.length / 3,
      votes,
      effectiveVotes: 3,
      clusters: [...votersOf].map(([canonical, of]) => ({
        canonical: String(canonical),
        voters: of.map(({ voter }) => voter),
        weight: of.length,
      })),
      minority: votes.filter((vote) => vote.answer !== leader),
      stopReason: 'max',
      usage: { inputTokens, outputTokens, estimated: true },
    }
  })
})
