package term

const atOnce = 0 // Windows has no pipes among its files
