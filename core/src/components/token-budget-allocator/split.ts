/** Which fraction of a budget goes where, and how a number of tokens is divided by weights. */
import type { RiskLevel, Topology } from '../../contracts/words.ts'

/** In hundredths of the budget, so that sums are exact. Kept back for messages between agents: */
export const COORDINATION: Readonly<Record<Topology, number>> = {
  SINGLE: 0,
  SEQUENTIAL: 4,
  PARALLEL: 2,
  CENTRALIZED: 15,
  DECENTRALIZED: 20,
  HYBRID: 24,
}

/** Kept back for making one answer out of many. */
export const SYNTHESIS: Readonly<Record<Topology, number>> = {
  SINGLE: 0,
  SEQUENTIAL: 4,
  PARALLEL: 12,
  CENTRALIZED: 12,
  DECENTRALIZED: 8,
  HYBRID: 12,
}

/** Kept back for reflection on the answer. */
export const REFLECTION = 7

/** Kept back for votes. */
export const CONSENSUS: Readonly<Record<RiskLevel, number>> = { low: 0, medium: 6, high: 15, critical: 25 }

/** What an agent's last call may read and write when all else is spent. */
export const FINAL_INPUT = 2048
export const FINAL_OUTPUT = 512

/** How much an agent of each role needs beside the others; every other role counts as a worker. */
const ROLE_WEIGHTS: Readonly<Record<string, number>> = {
  lead: 1.2,
  worker: 1,
  critic: 0.6,
  verifier: 0.7,
  synthesizer: 1.1,
}
/** Early phases are uncertain and get more (Lin et al., 2025: decay .9). */
const LEVEL_DECAY = 0.9
const UNKNOWN_COMPLEXITY = 0.5

/** What is known of an agent before it starts. */
export interface AgentShareInput {
  /** `lead`, `worker`, `critic`, `verifier`, `synthesizer`, or any other word, which counts as a worker. */
  role?: string
  /** Of its part of the work, in [0, 1]. Default .5. */
  complexity?: number
  /** Its phase in a SEQUENTIAL team, from 0. Default its place. */
  level?: number
  /** Replaces what role, complexity and level would give; at least 0. */
  weight?: number
}

/** The roles of a team by slot: the lead is first. */
export function toRole(topology: Topology, slot: number, count: number): string {
  if (topology === 'DECENTRALIZED') return 'peer'
  if (topology !== 'CENTRALIZED' && topology !== 'HYBRID') return 'worker'
  if (slot === 0) return 'lead'
  return topology === 'HYBRID' && count >= 3 && slot === count - 1 ? 'critic' : 'worker'
}

/** How much an agent should have beside the others. */
export function toWeight(topology: Topology, role: string, agent: AgentShareInput, slot: number): number {
  if (agent.weight !== undefined) return agent.weight
  const byRole = Object.hasOwn(ROLE_WEIGHTS, role) ? (ROLE_WEIGHTS[role] ?? 1) : 1
  const byLevel = topology === 'SEQUENTIAL' ? LEVEL_DECAY ** (agent.level ?? slot) : 1
  return byRole * (0.25 + (agent.complexity ?? UNKNOWN_COMPLEXITY)) * byLevel
}

/** Weights are compared in millionths, in whole numbers: the division is exact, so no share falls when it should not. */
const WEIGHT_UNIT = 1_000_000

/**
 * Divides tokens by weights, rounding every share down.
 *
 * Largest-remainder rounding would assign the rest too, but then a share can fall when the total grows (the Alabama
 * paradox); here the caller keeps the rest.
 */
export function divide(tokens: number, weights: readonly number[]): number[] {
  if (weights.length === 1) return [tokens]
  const whole = weights.map((weight) => BigInt(Math.round(weight * WEIGHT_UNIT)))
  const sum = whole.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n) return weights.map(() => Math.floor(tokens / weights.length))
  const amount = BigInt(tokens)
  return whole.map((weight) => Number((amount * weight) / sum))
}
