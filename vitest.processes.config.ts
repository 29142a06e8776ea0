import { configDefaults, defineConfig, mergeConfig } from 'vitest/config'
import base from './vitest.config.ts'

// The tests of whole processes: the command line as people type it, projects that are built and served, and what is left after a kill.
export default mergeConfig(
  defineConfig({ test: { ...base.test, include: [], exclude: [] } }),
  defineConfig({ test: { include: ['packages/*/src/**/*.process.test.ts'], exclude: configDefaults.exclude } }),
)
