export {
  createSchedule,
  type HandlerSchedule,
  type PromptSchedule,
  type Schedule,
  type ScheduleContext,
  type ScheduleTimes,
} from './schedule.ts'
