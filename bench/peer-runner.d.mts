/** The prompts of the four tasks. */
export interface Tasks {
  /** What a single task looks up. */
  key(id: number): string
  single: { name: string; system: string; user(key: string): string }
  tool: { name: string; description: string; parameters: object; run(args: never): unknown }
  plan: { name: string; system: string; user(id: number): string; parse(text: string): string[] }
  synth: { name: string; system: string; user(id: number, results: string[]): string }
  CHAIN: number
  /** Stages count from 1. */
  stage: {
    name(k: number): string
    system(k: number): string
    user(previous: string): string
    seed(id: number): string
  }
  streamer: { name: string; system: string; user(id: number, n: number): string }
}

export interface Runner {
  single(id: number): Promise<string>
  fanout(id: number): Promise<string>
  chain(id: number): Promise<string>
  stream(id: number, n: number, onDelta: (text: string) => void): Promise<string>
  close(): Promise<void>
}

export function create(options: {
  baseURL?: string
  origin?: string
  apiKey: string
  model: string
  variant?: string
  tasks: Tasks
  workDir?: string
  env?: Record<string, string>
}): Promise<Runner>
