import type { EndReason } from '../events/stream-client.ts'

/** What is measured. */
export interface Metrics {
  render(): Promise<string>
  request(facts: { method: string; route: string; status: number; seconds: number; code?: string | undefined }): void
  streamEnded(reason: EndReason): void
}

export const createMetrics = (): Metrics => ({ render: async () => '', request() {}, streamEnded() {} })
