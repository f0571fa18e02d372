(module
  (memory (import "gateway" "memory") 1)
  ;; Adds up the rows of `dims` signed bytes that the `count` numbers at `pieces` name, each times its scale, into `sum`;
  ;; then adds that, made of the length `weight`, to `whole`.
  (func (export "add") (param $pieces i32) (param $count i32) (param $rows i32) (param $scales i32) (param $sum i32) (param $dims i32) (param $whole i32) (param $weight f32)
    (local $piece i32) (local $at i32) (local $to i32) (local $end i32)
    (local $scale v128) (local $bytes v128) (local $half v128)
    (memory.fill (local.get $sum) (i32.const 0) (i32.shl (local.get $dims) (i32.const 2)))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $piece (i32.load (local.get $pieces)))
        (local.set $scale (f32x4.splat (f32.load (i32.add (local.get $scales) (i32.shl (local.get $piece) (i32.const 2))))))
        (local.set $at (i32.add (local.get $rows) (i32.mul (local.get $piece) (local.get $dims))))
        (local.set $end (i32.add (local.get $at) (local.get $dims)))
        (local.set $to (local.get $sum))
        (loop $step
          (local.set $bytes (v128.load (local.get $at)))
          (local.set $half (i16x8.extend_low_i8x16_s (local.get $bytes)))
          (v128.store (local.get $to) (f32x4.add (v128.load (local.get $to))
            (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (v128.store offset=16 (local.get $to) (f32x4.add (v128.load offset=16 (local.get $to))
            (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $half (i16x8.extend_high_i8x16_s (local.get $bytes)))
          (v128.store offset=32 (local.get $to) (f32x4.add (v128.load offset=32 (local.get $to))
            (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $half))))))
          (v128.store offset=48 (local.get $to) (f32x4.add (v128.load offset=48 (local.get $to))
            (f32x4.mul (local.get $scale) (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $half))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $to (i32.add (local.get $to) (i32.const 64)))
          (br_if $step (i32.lt_u (local.get $at) (local.get $end))))
        (local.set $pieces (i32.add (local.get $pieces) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $next)))
    (local.set $scale (f32x4.splat (f32.div (local.get $weight) (call $length (local.get $sum) (local.get $dims)))))
    (local.set $at (local.get $sum))
    (local.set $to (local.get $whole))
    (local.set $end (i32.add (local.get $sum) (i32.shl (local.get $dims) (i32.const 2))))
    (loop $step
      (v128.store (local.get $to) (f32x4.add (v128.load (local.get $to)) (f32x4.mul (local.get $scale) (v128.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $step (i32.lt_u (local.get $at) (local.get $end)))))

  ;; The length of a vector of `dims` numbers, 1 if there is none: the squares in four sums, which are added in pairs.
  (func $length (param $from i32) (param $dims i32) (result f32)
    (local $end i32) (local $four v128) (local $squares v128) (local $all f32)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $dims) (i32.const 2))))
    (loop $step
      (local.set $four (v128.load (local.get $from)))
      (local.set $squares (f32x4.add (local.get $squares) (f32x4.mul (local.get $four) (local.get $four))))
      (local.set $from (i32.add (local.get $from) (i32.const 16)))
      (br_if $step (i32.lt_u (local.get $from) (local.get $end))))
    (local.set $all (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $squares)) (f32x4.extract_lane 1 (local.get $squares)))
      (f32.add (f32x4.extract_lane 2 (local.get $squares)) (f32x4.extract_lane 3 (local.get $squares)))))
    (if (result f32) (f32.eq (local.get $all) (f32.const 0)) (then (f32.const 1)) (else (f32.sqrt (local.get $all)))))

  ;; Rounds a vector to signed bytes at `to`, the largest of which is 127 or -127; behind them goes what they are to be
  ;; multiplied with for the length 1, 0 for a vector of nothing.
  (func (export "round") (param $from i32) (param $dims i32) (param $to i32)
    (local $at i32) (local $end i32) (local $most v128) (local $step f32) (local $steps v128)
    (local.set $end (i32.add (local.get $from) (i32.shl (local.get $dims) (i32.const 2))))
    (local.set $at (local.get $from))
    (loop $next
      (local.set $most (f32x4.max (local.get $most) (f32x4.abs (v128.load (local.get $at)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (local.set $step (f32.div
      (f32.max (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
               (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most))))
      (f32.const 127)))
    (f32.store (i32.add (local.get $to) (local.get $dims)) (f32.div (local.get $step) (call $length (local.get $from) (local.get $dims))))
    (local.set $steps (f32x4.splat (select (f32.const 1) (local.get $step) (f32.eq (local.get $step) (f32.const 0)))))
    (loop $next
      (v128.store (local.get $to) (i8x16.narrow_i16x8_s
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.div (v128.load (local.get $from)) (local.get $steps))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.div (v128.load offset=16 (local.get $from)) (local.get $steps)))))
        (i16x8.narrow_i32x4_s
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.div (v128.load offset=32 (local.get $from)) (local.get $steps))))
          (i32x4.trunc_sat_f32x4_s (f32x4.nearest (f32x4.div (v128.load offset=48 (local.get $from)) (local.get $steps)))))))
      (local.set $from (i32.add (local.get $from) (i32.const 64)))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $from) (local.get $end))))))
