import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// The tests that drive a real terminal; they need tmux.
export default mergeConfig(
  defineConfig({ test: { ...base.test, include: [], exclude: [] } }),
  defineConfig({ test: { include: ['packages/*/src/**/*.terminal.test.ts'], exclude: configDefaults.exclude } }),
)
