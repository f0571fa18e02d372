(module
  (memory (import "gateway" "memory") 1)
  ;; For each of `count` rows of `dims` signed bytes: its product with the query's, as a 32-bit integer at `out`.
  (func (export "multiply") (param $query i32) (param $dims i32) (param $rows i32) (param $count i32) (param $out i32)
    (local $at i32) (local $end i32) (local $left v128) (local $right v128) (local $sum v128)
    (block $done
      (loop $row
        (br_if $done (i32.eqz (local.get $count)))
        (local.set $at (local.get $query))
        (local.set $end (i32.add (local.get $query) (local.get $dims)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (loop $step
          (local.set $left (v128.load (local.get $at)))
          (local.set $right (v128.load (local.get $rows)))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_low_i8x16_s (local.get $left) (local.get $right)))))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_s (i16x8.extmul_high_i8x16_s (local.get $left) (local.get $right)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (local.set $rows (i32.add (local.get $rows) (i32.const 16)))
          (br_if $step (i32.lt_u (local.get $at) (local.get $end))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $count (i32.sub (local.get $count) (i32.const 1)))
        (br $row)))))
